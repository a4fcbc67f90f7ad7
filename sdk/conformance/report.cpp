#include "report.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstdio>
#include <iomanip>
#include <ostream>

namespace mqb::conformance {
namespace {
namespace json = boost::json;

std::string escaped(const std::string& text) {
    std::string out;
    for (char c : text) switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            default: out += c;
        }
    return out;
}
bool bad(const result& r) { return r.found != verdict::pass && r.found != verdict::skip; }
std::string label(const result& r) { return r.factory.empty() ? r.name : r.factory + "/" + r.name; }
}  // namespace

report::report(const options& o, std::ostream& to) : options_(o), to_(to) {}

void report::add(result r) {
    timeouts_ += r.found == verdict::timeout;
    if (options_.output == format::human) line(r);
    all_.push_back(std::move(r));
}

void report::line(const result& r) {
    to_ << std::left << std::setw(8) << name_of(r.found) << std::setw(40) << label(r);
    if (!r.reason.empty()) to_ << ' ' << r.reason;
    if (!r.rule.empty()) to_ << "\n        rule: " << r.rule;
    to_ << '\n';
    for (const std::string& w : r.warnings) to_ << "        warning: " << w << '\n';
    if (options_.verbose && bad(r) && !r.output.empty()) to_ << "        output: " << r.output.substr(0, 4000) << '\n';
    to_.flush();
}

void report::write_json() {
    json::array cases;
    for (const result& r : all_) {
        json::array warnings;
        for (const std::string& w : r.warnings) warnings.push_back(json::string(w));
        json::object o{{"case", r.name}, {"factory", r.factory}, {"result", name_of(r.found)}, {"reason", r.reason},
                       {"rule", r.rule}, {"seconds", r.seconds}, {"warnings", warnings}};
        if (bad(r)) o["output"] = r.output.substr(0, 4000);
        cases.push_back(o);
    }
    to_ << json::serialize(json::object{{"plugin", options_.plugin}, {"cases", cases}}) << '\n';
}

void report::write_junit() {
    const auto count = [&](auto is) { return std::count_if(all_.begin(), all_.end(), is); };
    const auto failed = count([](const result& r) { return r.found == verdict::fail; });
    const auto skipped = count([](const result& r) { return r.found == verdict::skip; });
    const auto errors = count(bad) - failed;
    to_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"conformance " << escaped(options_.plugin) << "\" tests=\""
        << all_.size() << "\" failures=\"" << failed << "\" errors=\"" << errors << "\" skipped=\"" << skipped << "\">\n";
    for (const result& r : all_) {
        to_ << "  <testcase classname=\"" << escaped(r.factory.empty() ? "library" : r.factory) << "\" name=\"" << escaped(r.name)
            << "\" time=\"" << r.seconds << "\">";
        if (r.found == verdict::skip) to_ << "<skipped message=\"" << escaped(r.reason) << "\"/>";
        if (r.found == verdict::fail) to_ << "<failure message=\"" << escaped(r.reason) << "\">" << escaped(r.rule) << "</failure>";
        if (r.found == verdict::crash || r.found == verdict::timeout)
            to_ << "<error type=\"" << name_of(r.found) << "\" message=\"" << escaped(r.reason) << "\">"
                << escaped(r.output.substr(0, 4000)) << "</error>";
        to_ << "</testcase>\n";
    }
    to_ << "</testsuite>\n";
}

bool report::finish() {
    int n[5] = {};
    for (const result& r : all_) ++n[static_cast<int>(r.found)];
    if (options_.output == format::json) write_json();
    if (options_.output == format::junit) write_junit();
    if (options_.output == format::human) {
        for (verdict v : {verdict::pass, verdict::fail, verdict::crash, verdict::timeout, verdict::skip})
            to_ << (v == verdict::pass ? "" : ", ") << n[static_cast<int>(v)] << ' ' << name_of(v);
        to_ << '\n';
    }
    to_.flush();
    return std::none_of(all_.begin(), all_.end(), bad);
}

}  // namespace mqb::conformance
