// Run: which cases are run for which factory, each in its own process.
#include <mqb/conformance/run.hpp>

#include "catalog.hpp"
#include "child.hpp"
#include "report.hpp"
#include "workplace.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <thread>

namespace mqb::conformance {
namespace {
namespace json = boost::json;
constexpr int patience_with_timeouts = 3;  // after that many the rest is skipped: somebody waits for an answer

class runner {
public:
    runner(const library& l, const options& o, std::ostream& to) : lib_(l), options_(o), report_(o, to) {
        start_here();
        base_ = (std::filesystem::temp_directory_path() / ("mqb-conformance-" + std::string(6, 'X'))).string();
        if (!mkdtemp(base_.data())) throw std::runtime_error(base_ + ": " + std::strerror(errno));
        base_ = std::filesystem::absolute(base_).string();
    }
    ~runner() { remove(base_); }
    int run() {
        if (!options_.config.empty()) from_file_ = subjects_of_file(options_.config);
        for (const test_case& c : catalog())
            if (c.about & about_library) one(c, nobody_, 0);
        std::string text;
        const result described = do_it([this] { return describe(); }, &text);
        if (described.found != verdict::pass) return without_factories(described);
        const json::value known = json::parse(text);
        for (const json::value& each : known.as_array()) subjects_.push_back(face_of(each));
        for (std::size_t i = 0; i < subjects_.size(); ++i) {
            if (!options_.factory.empty() && subjects_[i].factory != options_.factory) continue;
            broken_ = {};
            for (const test_case& c : catalog())
                if (!(c.about & about_library) && applies(c, subjects_[i])) one(c, subjects_[i], i);
        }
        return report_.finish() ? 0 : 1;
    }

private:
    // Nothing more can be tried. Library cases have said why, unless only one case was asked for.
    int without_factories(const result& why) {
        const test_case* only = options_.only.empty() ? nullptr : find_case(options_.only);
        if (only && (only->about & about_library)) return report_.finish() ? 0 : 1;
        result r = why;
        if (only) {
            r.name = options_.only;
        } else {
            r.name = "all cases of the factories";
            r.found = verdict::skip;
            r.reason = "the factories cannot be read: " + why.reason;
        }
        report_.add(std::move(r));
        report_.finish();
        return 1;
    }
    // Runs it in a directory of its own, which is gone afterwards, whatever happened.
    result do_it(const std::function<std::string()>& work, std::string* answer = nullptr) {
        scratch_ = base_ + "/" + std::to_string(++case_number_);
        const auto there = [&] {
            const workplace here(scratch_ + "/here");
            return work();
        };
        result r = options_.in_process ? in_this_process(there, answer) : in_child(there, options_.limit, answer);
        remove(scratch_);
        return r;
    }
    // Also what was left without the right to enter it.
    static void remove(const std::string& directory) {
        namespace fs = std::filesystem;
        std::error_code ec;
        fs::remove_all(directory, ec);
        if (!ec) return;
        for (auto at = fs::recursive_directory_iterator(directory, fs::directory_options::skip_permission_denied, ec);
             at != fs::recursive_directory_iterator(); at.increment(ec))
            if (at->is_directory(ec)) fs::permissions(at->path(), fs::perms::owner_all, ec);
        fs::remove_all(directory, ec);
    }
    // In a child: what the parent needs to know of the factories.
    std::string describe() {
        stage s(lib_, nobody_, {});
        json::array out;
        for (const subject& each : subjects_of_plugin(s.plugin(), from_file_))
            out.push_back(json::object{{"factory", each.factory}, {"kind", each.kind}, {"sides", each.sides}});
        return json::serialize(out);
    }
    subject face_of(const json::value& v) {
        subject s;
        for (const subject& f : from_file_)
            if (f.factory == v.at("factory").as_string() || f.factory.empty()) s.skip = f.skip;
        s.factory = v.at("factory").as_string();
        s.kind = v.at("kind").to_number<std::uint32_t>();
        s.sides = v.at("sides").to_number<std::uint32_t>();
        return s;
    }
    void one(const test_case& c, const subject& face, std::size_t index) {
        if (!options_.only.empty() && options_.only != c.name) return;
        result r;
        auto skip = face.skip.find(c.name);
        if (skip != face.skip.end())
            r.found = verdict::skip, r.reason = "conformance.json: " + skip->second;
        else if (!broken_.empty())
            r.found = verdict::skip, r.reason = broken_;
        else
            r = do_it([&] { return play(c, index); });
        r.name = c.name;
        r.factory = face.factory;
        const bool door = c.id == case_id::create || c.id == case_id::connect;
        if (door && (r.found == verdict::crash || r.found == verdict::timeout)) broken_ = std::string(c.name) + " did not end well";
        report_.add(std::move(r));
        if (report_.timeouts() >= patience_with_timeouts && broken_.empty()) broken_ = "three cases have timed out before";
    }
    std::string play(const test_case& c, std::size_t index) {
        std::thread(this_thread_is_the_kits).join();  // a sanitizer starts a thread of its own with the first one
        subject about;
        if (!(c.about & about_library)) {
            stage door(lib_, nobody_, {});
            about = subjects_of_plugin(door.plugin(), from_file_).at(index);
        }
        place where{scratch_, "kit" + std::to_string(getpid()) + c.name + std::to_string(case_number_)};
        std::ranges::replace(where.topic, '_', 'x');
        stage s(lib_, about, where);
        c.body(s);
        s.finish();
        return {};
    }
    const subject nobody_{};
    const library& lib_;
    const options& options_;
    report report_;
    std::vector<subject> from_file_, subjects_;
    std::string base_, scratch_, broken_;
    int case_number_ = 0;
};

int run_on(const library& l, const options& o) {
    std::ostream& to = o.to ? *o.to : std::cout;
    if (o.list) return to << catalog_as_table() << '\n' << quirks_as_text(), 0;
    if (!o.only.empty() && !find_case(o.only)) {
        std::cerr << "conformance: there is no case \"" << o.only << "\"; --list shows them\n";
        return 2;
    }
    try {
        return runner(l, o, to).run();
    } catch (const std::exception& e) {
        std::cerr << "conformance: " << e.what() << '\n';
        return 2;
    }
}
}  // namespace

int run(const options& o) {
    start_here();
    return run_on({as_meant_at_start(o.plugin), nullptr}, o);
}
int run_linked(const mqb_plugin* plugin, const options& o) { return run_on({o.plugin, plugin}, o); }

}  // namespace mqb::conformance
