#include "core/middlewares/transform_schema.hpp"

#include "core/expressions/json_text.hpp"
#include "core/middlewares/transform_coercion.hpp"
#include "core/middlewares/transform_failure.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

namespace mqb::core {

namespace {

using expressions::json_document;
using expressions::kind;
using expressions::value;

failure mistake(const std::string& where, const std::string& why) { return {status::bad_config, where + ": " + why}; }

constexpr std::array<std::pair<const char*, std::uint32_t>, 7> type_names{
    {{"null", 1}, {"boolean", 2}, {"integer", 4}, {"number", 8}, {"string", 16}, {"array", 32}, {"object", 64}}};

// Of a document that is made.
constexpr std::size_t longest = 64u << 20;
constexpr std::size_t most_kept = 1u << 20;

void check_length(const std::string& made) {
    if (made.size() > longest) throw transform_failure("$", "content", "the document would be longer than 64 MiB");
}

std::string names_of(std::uint32_t types) {
    std::string out;
    for (const auto& [name, bit] : type_names)
        if (types & bit) out += (out.empty() ? "" : " or ") + std::string{name};
    return out;
}

}  // namespace

std::string transform_schema::place::text() const {
    if (!up) return "$";
    return key.data() ? up->text() + '.' + std::string{key} : up->text() + '[' + std::to_string(index) + ']';
}

result<std::unique_ptr<transform_schema>> transform_schema::read(const json_view& schema, options how) {
    auto top = read_rule(schema, "schema");
    if (!top) return top.error();
    auto out = std::make_unique<transform_schema>();
    out->top_ = std::move(*top);
    out->how_ = how;
    return out;
}

result<std::uint32_t> transform_schema::read_types(const json_view& all, const std::string& where) {
    std::uint32_t types = 0;
    const auto type = all.find("type");
    if (!type) return types;
    const auto add = [&](const json_view& name) {
        const auto at = std::ranges::find_if(type_names, [&](const auto& t) { return name.is_text() && name.text() == t.first; });
        if (at == type_names.end()) return false;
        types |= at->second;
        return true;
    };
    const auto names = type->is_list() ? type->elements() : std::vector<json_view>{*type};
    if (names.empty() || !std::ranges::all_of(names, add))
        return mistake(where + ".type", "has to be one of null, boolean, integer, number, string, array and object, or a list of them");
    const auto nullable = all.find("nullable");
    if (nullable && nullable->is_true()) types |= is_null;
    return types;
}

result<std::shared_ptr<const transform_schema::rule>> transform_schema::read_rule(const json_view& all, const std::string& where) {
    if (all.is_true()) return std::shared_ptr<const rule>{};  // takes anything, as {} does
    if (!all.is_object()) return mistake(where, "has to be a JSON object");
    auto out = std::make_shared<rule>();
    const auto types = read_types(all, where);
    if (!types) return types.error();
    out->types = *types;
    if (const auto properties = all.find("properties")) {
        if (!properties->is_object()) return mistake(where + ".properties", "has to be a JSON object");
        for (const auto& [name, what] : properties->members()) {
            auto inner = read_rule(what, where + ".properties." + name);
            if (!inner) return inner.error();
            const auto standard = what.find("default");
            out->properties.push_back({name, std::move(*inner), standard ? standard->json() : std::string{}, false});
            out->asks_for_all = out->asks_for_all || standard;
        }
    }
    if (const auto required = all.find("required")) {
        if (!required->is_list()) return mistake(where + ".required", "has to be a list of names");
        for (const json_view& name : required->elements()) {
            if (!name.is_text()) return mistake(where + ".required", "has to be a list of names");
            const std::string wanted = name.text();
            auto at = std::ranges::find(out->properties, wanted, &property::name);
            if (at == out->properties.end()) at = out->properties.insert(at, property{wanted, nullptr, {}, false});
            at->is_required = out->asks_for_all = true;
        }
    }
    if (const auto items = all.find("items")) {
        auto inner = read_rule(*items, where + ".items");
        if (!inner) return inner.error();
        out->items = std::move(*inner);
    }
    if (const auto choices = all.find("enum")) {
        if (!choices->is_list() || choices->elements().empty()) return mistake(where + ".enum", "has to be a list of values");
        out->choices_text = choices->json();
        for (const json_view& v : choices->elements()) {
            auto& made = out->choices.emplace_back(std::make_unique<choice>());
            made->text = v.json();
            if (!made->document.read(made->text).empty()) return mistake(where + ".enum", "holds what cannot be read again");
        }
    }
    const auto media = all.find("contentMediaType");
    out->is_json = media && media->is_text() && media->text() == "application/json";
    if (const auto content = all.find("contentSchema")) {
        auto inner = read_rule(*content, where + ".contentSchema");
        if (!inner) return inner.error();
        out->content = std::move(*inner);
    }
    return std::shared_ptr<const rule>{std::move(out)};
}

bool transform_schema::write(const json_document& from, expressions::arena& memory, std::string& to) {
    has_changed_ = false;
    open_ = 0;
    if (top_) put_document(*top_, from, {}, memory, to);
    return has_changed_;
}

void transform_schema::shrink() {
    written_.shrink();
    for (const auto& document : inner_) document->shrink();
    for (const auto& plain : plain_) {
        plain->document.shrink();
        if (plain->text.capacity() > most_kept) std::string{}.swap(plain->text);
    }
}

// Of a key that repeats only the last one is looked at, and goes on.
void transform_schema::put_document(const rule& r, const json_document& from, const place& at, expressions::arena& memory,
                                    std::string& to) {
    const json_document* of = &from;
    if (from.has_repeated_keys(0, memory)) {
        while (plain_.size() <= open_) plain_.push_back(std::make_unique<plain_document>());
        plain_document& plain = *plain_[open_];
        plain.text.clear();
        from.append(plain.text, from.at(0), memory);
        if (!plain.document.read(plain.text).empty()) throw std::bad_alloc{};
        of = &plain.document;
        has_changed_ = true;
    }
    const std::string_view whole = of->raw(0);
    writing w{*of, memory, to, whole.data()};
    put(r, 0, at, w);
    w.copy_up_to(whole.data() + whole.size());
}

void transform_schema::put(const rule& r, std::uint32_t where, const place& at, writing& w) {
    if (r.says_nothing()) return;
    if (r.choices.empty()) return put_value(r, where, at, w);
    const std::string_view whole = w.from.raw(where);
    w.copy_up_to(whole.data());
    const std::size_t begin = w.to.size();
    put_value(r, where, at, w);
    w.copy_up_to(whole.data() + whole.size());
    check_choices(r, std::string_view{w.to}.substr(begin), at, w);
}

void transform_schema::put_value(const rule& r, std::uint32_t where, const place& at, writing& w) {
    const value v = w.from.at(where);
    if (r.types != 0 && (types_of(v, r.types) & r.types) == 0) {
        const std::string_view whole = w.from.raw(where);
        w.copy_up_to(whole.data());
        coerce(r, v, at, w);
        w.copied = whole.data() + whole.size();
        has_changed_ = true;
        check_length(w.to);
    } else if (v.is_object() && !r.properties.empty()) {
        put_object(r, where, at, w);
    } else if (v.is_list() && r.items) {
        std::size_t i = 0;
        w.from.each_element(where, [&](std::uint32_t element) { put(*r.items, element, {&at, {}, i++, at.depth + 1}, w); });
    } else if (v.is_text() && r.is_json) {
        const std::string_view whole = w.from.raw(where);
        w.copy_up_to(whole.data());
        put_content(r, v, at, w);
        w.copied = whole.data() + whole.size();
        has_changed_ = true;
    }
}

void transform_schema::put_object(const rule& r, std::uint32_t where, const place& at, writing& w) {
    const std::size_t count = r.properties.size();
    const std::span<bool> is_there = w.memory.array<bool>(r.asks_for_all ? count : 0);
    std::ranges::fill(is_there, false);
    std::size_t next = 0;  // members often stand in the order of the properties
    bool is_empty = true;
    w.from.each_member(where, [&](std::uint32_t key_place, std::uint32_t value_place) {
        is_empty = false;
        for (std::size_t tried = 0; tried < count; ++tried, ++next) {
            if (next == count) next = 0;
            const property& p = r.properties[next];
            if (!w.from.is_key(key_place, p.name)) continue;
            if (r.asks_for_all) is_there[next] = true;
            if (p.what) put(*p.what, value_place, {&at, p.name, 0, at.depth + 1}, w);
            ++next;
            return;
        }
    });
    for (std::size_t i = 0; i < is_there.size(); ++i) {
        const property& p = r.properties[i];
        if (is_there[i]) continue;
        if (how_.adds_defaults && !p.standard.empty()) {
            const std::string_view whole = w.from.raw(where);
            w.copy_up_to(whole.data() + whole.size() - 1);
            if (!std::exchange(is_empty, false)) w.to += ',';
            expressions::append_json(w.to, p.name);
            w.to += ':';
            w.to += p.standard;
            has_changed_ = true;
            check_length(w.to);
        } else if (p.is_required) {
            throw transform_failure(place{&at, p.name, 0, 0}.text(), "missing_required", "the field is not there");
        }
    }
}

// JSON that a text holds takes the place of the text.
void transform_schema::put_content(const rule& r, const value& v, const place& at, writing& w) {
    const std::string_view text = plain(v, w.memory);
    if (open_ == inner_.size()) inner_.push_back(std::make_unique<json_document>());
    json_document& document = *inner_[open_];
    if (const std::string_view wrong = document.read(text); !wrong.empty())
        throw transform_failure(at.text(), "content", "the text is not structured JSON: " + std::string{wrong});
    const value whole = document.at(0);
    if ((whole.is_list() || whole.is_object()) && at.depth + document.depth(whole.at) > json_document::deepest)
        throw transform_failure(at.text(), "content",
                                "with the JSON in the text the document is nested deeper than " + std::to_string(json_document::deepest));
    ++open_;
    static const rule anything;
    put_document(r.content ? *r.content : anything, document, at, w.memory, w.to);
    --open_;
}

void transform_schema::coerce(const rule& r, const value& v, const place& at, writing& w) {
    const auto is_wrong = [&](const char* how, const std::string& why) { return transform_failure(at.text(), how, why); };
    if (v.is_text() && v.text.size == 0 && how_.empty_is_null) {
        if ((r.types & is_null) == 0)
            throw is_wrong("type_mismatch", "an empty text is null here (coerce_empty_as_null), where " + names_of(r.types) + " is wanted");
        w.to += "null";
        return;
    }
    const auto name = [&] { return std::string{expressions::type_name(v.what)}; };
    if (v.is_null() || !how_.coerces) throw is_wrong("type_mismatch", name() + " where " + names_of(r.types) + " is wanted");
    if (v.is_number() && (r.types & is_string) != 0) {
        w.to.append(1, '"').append(v.view()).append(1, '"');
        return;
    }
    const std::string_view text = v.is_text() ? plain(v, w.memory) : std::string_view{};
    const bool is_done = v.is_text() && (((r.types & is_integer) != 0 && append_integer(w.to, text)) ||
                                         ((r.types & is_number) != 0 && append_number(w.to, text)) ||
                                         ((r.types & is_bool) != 0 && append_truth(w.to, text)));
    if (!is_done) throw is_wrong("coercion", "this " + name() + " is no " + names_of(r.types));
}

void transform_schema::check_choices(const rule& r, std::string_view written, const place& at, writing& w) {
    const bool is_read = written_.read(written).empty();
    const bool is_one = is_read && std::ranges::any_of(r.choices, [&](const auto& c) {
                            return are_same(written_, written_.at(0), c->document, c->document.at(0), w.memory);
                        });
    if (!is_one) throw transform_failure(at.text(), "enum", "value is not one of " + r.choices_text);
}

}  // namespace mqb::core
