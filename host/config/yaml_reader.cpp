#include "host/config/yaml_reader.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <streambuf>

namespace mqb::config {

namespace {

position place_of(const YAML::Mark& mark) {
    return {static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
}

// Gives the text out as the parser asks for it, and no more than so much before its next event: until the parser knows whether a
// bracket opens a key, it keeps every token behind it.
class metered_text final : public std::streambuf {
public:
    explicit metered_text(const std::string& text) : text_(text) {}
    void passed(position at) noexcept {
        last_ = at;
        until_ = given_;
    }

protected:
    int_type underflow() override {
        constexpr std::size_t most = 512u << 10, part = 4096;
        if (given_ == text_.size()) return traits_type::eof();
        if (given_ - until_ > most) throw unreadable(last_, "goes on for more than 512 KiB without an end: something is never closed");
        const std::size_t size = std::min(part, text_.size() - given_);
        char* from = const_cast<char*>(text_.data()) + given_;  // the interface of streams; nobody writes
        setg(from, from, from + size);
        given_ += size;
        return traits_type::to_int_type(*from);
    }

private:
    const std::string& text_;
    std::size_t given_ = 0;
    std::size_t until_ = 0;
    position last_{1, 1};
};

// The events, because the library's own tree drops repeated keys, does not know merge keys and keeps no place of keys.
class events final : public YAML::EventHandler {
public:
    events(tree_builder& to, metered_text& from) : to_(to), from_(from) {}

    void OnDocumentStart(const YAML::Mark&) override {}
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        to_.null(place(mark));
        remember(mark, anchor, shape::null, "", false);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto at = anchored_.find(anchor);
        if (at == anchored_.end()) throw unreadable(place(mark), "the alias stands inside its own anchor");
        to_.share(place(mark), at->second);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& text) override {
        to_.scalar(place(mark), text, is_text(mark, tag));
        remember(mark, anchor, shape::scalar, text, is_text(mark, tag));
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        refuse_tag(mark, tag);
        to_.start_list(place(mark));
        open_.push_back(anchor);
    }
    void OnSequenceEnd() override { end(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YAML::EmitterStyle::value) override {
        refuse_tag(mark, tag);
        to_.start_map(place(mark));
        open_.push_back(anchor);
    }
    void OnMapEnd() override { end(); }

private:
    void end() {
        const YAML::anchor_t anchor = open_.back();
        open_.pop_back();
        node_ptr value = to_.end();
        if (anchor != YAML::NullAnchor) anchored_[anchor] = std::move(value);
    }
    // A copy: the one in the tree may have become a key.
    void remember(const YAML::Mark& mark, YAML::anchor_t anchor, shape what, const std::string& text, bool is_quoted) {
        if (anchor == YAML::NullAnchor) return;
        auto copy = std::make_shared<node>();
        copy->what = what;
        copy->at = to_.placed(place(mark));
        copy->text = text;
        copy->is_quoted = is_quoted;
        anchored_[anchor] = std::move(copy);
    }
    position place(const YAML::Mark& mark) {
        from_.passed(place_of(mark));
        return place_of(mark);
    }
    static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
        if (!tag.empty() && tag != "?" && tag != "!" && !tag.starts_with("tag:yaml.org,2002:"))
            throw unreadable(place_of(mark), "tags are not supported");
    }
    static bool is_text(const YAML::Mark& mark, const std::string& tag) {
        refuse_tag(mark, tag);
        return tag == "!" || tag == "tag:yaml.org,2002:str";
    }

    tree_builder& to_;
    metered_text& from_;
    std::map<YAML::anchor_t, node_ptr> anchored_;
    std::vector<YAML::anchor_t> open_;
};

}  // namespace

void read_yaml(const std::string& text, tree_builder& to) {
    metered_text source{text};
    std::istream stream{&source};
    try {
        YAML::Parser parser{stream};
        events handler{to, source};
        parser.HandleNextDocument(handler);
        if (!to.root()) to.null({1, 1});
        tree_builder second;
        events ignored{second, source};
        if (parser.HandleNextDocument(ignored)) throw unreadable(second.root() ? second.root()->at : position{}, "more than one document");
    } catch (const YAML::Exception& e) { throw unreadable(place_of(e.mark), e.msg); }
}

}  // namespace mqb::config
