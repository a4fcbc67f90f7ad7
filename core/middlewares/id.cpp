#include "core/middlewares/id.hpp"

#include "core/templates/renderer.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <utility>

namespace mqb::core {

namespace {

constexpr std::string_view id_key = "mqb.id";
constexpr std::size_t most_kept = 1u << 20;

class id_stage final : public message_stage {
public:
    explicit id_stage(templates::text_template from) : from_(std::move(from)) {}

    // An identity that is not all there would be one for many messages, and whoever goes by it would take them for one: then there is none,
    // not even that of before.
    staged apply(message& m, std::vector<counted_block>& made, std::string& why) override {
        if (text_.capacity() > most_kept) std::string{}.swap(text_);
        text_.clear();
        const templates::rendering rendered = by_.append(text_, from_, m);
        if (rendered.is_whole() && !text_.empty()) {
            const text_edit edit[] = {{id_key, text_}};
            counted_block block = edited(m.metadata, edit);
            if (!block.get().is_null()) {
                m.metadata = made.emplace_back(std::move(block)).get();
                return staged::changed;
            }
            warn(why, "its metadata has no room for it");
        } else {
            warn(why, rendered.is_whole() ? std::string{"it would be empty"} : templates::why_not(from_, rendered));
        }
        if (!has_key(m.metadata, id_key)) return staged::passes;
        const text_edit removal[] = {{id_key}};
        counted_block block = edited(m.metadata, removal);
        if (block.get().is_null()) return staged::passes;  // a block that no message should have
        m.metadata = made.emplace_back(std::move(block)).get();
        return staged::changed;
    }

private:
    void warn(std::string& why, const std::string& reason) {
        if (std::exchange(has_warned_, true)) return;
        why = "a message gets no mqb.id: " + reason + "; others will not be told";
    }

    const templates::text_template from_;
    templates::renderer by_;
    std::string text_;
    bool has_warned_ = false;
};

}  // namespace

std::string_view id_factory::schema() const noexcept {
    return R"({
  "type": ["string", "object"],
  "x-mqb-template": true,
  "description": "gives a message the metadata mqb.id, by which deduplication and other programs know it; a text by itself is the template",
  "properties": {
    "template": {"type": "string", "x-mqb-template": true, "description": "what mqb.id is, as docs/templates.md describes; it has a token at least"}
  },
  "required": ["template"],
  "additionalProperties": false
})";
}

result<std::unique_ptr<message_stage>> id_factory::make(std::string_view config, side) const {
    boost::system::error_code failed;
    const boost::json::value value = boost::json::parse({config.data(), config.size()}, failed);
    if (failed) return failure{status::bad_config, failed.message()};
    const boost::json::object* const all = value.if_object();
    const boost::json::value* const source = all ? all->if_contains("template") : &value;
    if (!source || !source->is_string()) return failure{status::bad_config, "has no template"};
    const std::string_view text{source->get_string().data(), source->get_string().size()};
    auto made = templates::compile(text);
    if (!made) return failure{status::bad_config, made.error().text, expressions::excerpt(text, made.error())};
    if (made->is_constant())
        return failure{status::bad_config, "is the same for all messages: it wants a token such as ${payload:order.id}"};
    return std::unique_ptr<message_stage>{std::make_unique<id_stage>(std::move(*made))};
}

}  // namespace mqb::core
