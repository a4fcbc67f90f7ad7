#include "core/expressions/json_document.hpp"
#include "core/expressions/parser.hpp"

#include <re2/re2.h>

#include <algorithm>

namespace mqb::core::expressions {

namespace {

std::string quoted(std::string_view text) { return '"' + std::string{text} + '"'; }

std::string_view between_quotes(const token& t) { return t.text.substr(1, t.text.size() - 2); }

}  // namespace

std::uint32_t parser::operand() {
    const token t = words_->now;
    switch (t.what) {
        case word::number: {
            (void)take();
            decimal d;
            if (read_decimal(t.text, d) != reading::number)
                throw mistake{t.offset, t.length,
                              "the number has more than " + std::to_string(decimal::most_digits) + " digits, or is out of range"};
            return constant(t.offset, value::of(d));
        }
        case word::text: (void)take(); return text_constant(t.offset, unquoted(between_quotes(t), t.offset + 1));
        case word::pattern: (void)take(); return template_of(t);
        case word::name: return name(t);
        case word::sign:
            if (t.is("(")) return round_bracket(t);
            if (t.is("[")) return square_bracket(t);
            if (t.is("{")) return object(t);
            if (t.is("#")) {
                (void)take();
                if (closures_ == 0) throw mistake{t.offset, 1, "\"#\" is the element of a list, inside map, filter and the like"};
                return add(op::element, t.offset, {});
            }
            break;
        case word::end: break;
    }
    unexpected("a value");
}

std::uint32_t parser::name(const token& t) {
    if (t.is("or") || t.is("and") || t.is("in") || t.is("not")) unexpected("a value");
    (void)take();
    if (words_->now.is("(")) return called(t);
    if (t.is("true") || t.is("false")) return constant(t.offset, value::of(t.is("true")));
    if (t.is("null")) return constant(t.offset, value{});
    if (t.is("meta")) return metadata(t);
    if (t.is("$root")) return add(op::root, t.offset, {});
    if (t.text.starts_with('$'))
        throw mistake{t.offset, t.length, quoted(t.text) + " means nothing (did you mean \"$root\", the whole payload?)"};
    if (const auto known = std::ranges::find(code_.locals, t.text); known != code_.locals.end())
        return add(op::local, t.offset, {}, static_cast<std::uint32_t>(known - code_.locals.begin()));
    return field(t.offset, {{std::string{t.text}}});
}

std::uint32_t parser::metadata(const token& t) {
    std::string key;
    if (takes(".")) {
        if (words_->now.what != word::name) unexpected("a metadata key");
        key = take().text;
        if (words_->now.is(".") && words_->next.what == word::name)
            throw mistake{t.offset, words_->next.offset + words_->next.length - t.offset,
                          "a metadata key with a point is written meta[\"" + key + '.' + std::string{words_->next.text} + "\"]"};
    } else {
        if (!words_->now.is("[") || words_->next.what != word::text)
            throw mistake{t.offset, t.length, "\"meta\" is followed by a key: meta.key or meta[\"a.key\"]"};
        (void)take();
        const token text = take();
        key = unquoted(between_quotes(text), text.offset + 1);
        expect("]", "the metadata key");
    }
    const auto known = std::ranges::find(code_.metadata, key);
    const auto at = static_cast<std::uint32_t>(known - code_.metadata.begin());
    if (known == code_.metadata.end()) code_.metadata.push_back(std::move(key));
    return add(op::metadata, t.offset, {}, at);
}

std::uint32_t parser::postfix(std::uint32_t of, std::uint32_t from) {
    for (;;) {
        if (words_->now.is(".")) {
            (void)take();
            if (words_->now.what != word::name) unexpected("a name after \".\"");
            const token t = take();
            if (words_->now.is("(")) {
                of = method(of, t, from);
            } else if (const auto path = longer(of, from, std::string{t.text})) {
                of = *path;
            } else {
                of = add(op::member, from, {of}, name_of(t.text));
            }
        } else if (words_->now.is("[")) {
            of = bracket(of, from);
        } else {
            return of;
        }
    }
}

std::uint32_t parser::bracket(std::uint32_t of, std::uint32_t from) {
    const token t = take();
    enter(t.offset);
    const auto nothing = [&] { return constant(words_->now.offset, value{}); };
    const std::uint32_t first = words_->now.is(":") ? nothing() : expression(weakest);
    if (takes(":")) {
        const std::uint32_t last = words_->now.is("]") ? nothing() : expression(weakest);
        expect("]", "the end of the slice");
        leave();
        return add(op::slice, from, {of, first, last});
    }
    expect("]", "the index");
    leave();
    if (const node& n = code_.nodes[first]; n.what == op::constant) {
        const value& v = code_.constants[n.data];
        if (v.what == kind::text) {
            if (const auto path = longer(of, from, std::string{v.view()})) return *path;
            return add(op::member, from, {of}, name_of(v.view()));
        }
        if (v.what == kind::number) {
            const auto i = whole(v.number);
            if (!i || *i < 0) throw mistake{n.offset, n.length, "an index is a whole number from 0 on"};
            if (*i <= INT32_MAX)
                if (const auto path = longer(of, from, static_cast<std::uint32_t>(*i))) return *path;
        }
    }
    return add(op::index, from, {of, first});
}

std::optional<std::uint32_t> parser::longer(std::uint32_t of, std::uint32_t from, step next) {
    const node& n = code_.nodes[of];
    if (n.what != op::field && n.what != op::root) return std::nullopt;
    path p;
    if (n.what == op::field) p = code_.fields[n.data];
    if (p.steps.size() == json_document::deepest)
        throw mistake{from, end_ - from, "the path is longer than " + std::to_string(json_document::deepest) + " steps"};
    // `$root[0]` reads no field by its name; such a path begins with an index.
    p.steps.push_back(std::move(next));
    return field(from, std::move(p));
}

std::vector<std::uint32_t> parser::arguments(std::string_view of) {
    std::vector<std::uint32_t> out;
    enter(words_->now.offset);
    expect("(", quoted(of));
    while (!words_->now.is(")")) {
        out.push_back(expression(weakest));
        if (!takes(",")) break;
    }
    expect(")", "the arguments of " + quoted(of));
    leave();
    return out;
}

void parser::check_count(const function& f, std::size_t given, std::uint32_t from) const {
    if (given >= f.least && given <= f.most) return;
    const std::string most = std::to_string(f.most);
    const std::string wanted = f.least == f.most     ? most
                               : f.most == UINT8_MAX ? "at least " + std::to_string(f.least)
                                                     : std::to_string(f.least) + " to " + most;
    throw mistake{from, end_ - from,
                  quoted(f.name) + " takes " + wanted + (wanted == "1" ? " argument" : " arguments") + ", not " + std::to_string(given)};
}

std::uint32_t parser::called(const token& t) {
    if (const auto c = closure_named(t.text)) return closure_call(t, *c);
    if (t.is("matches") || t.is("extract")) return pattern_call(t);
    const auto all = all_functions();
    const auto found = std::ranges::find(all, t.text, &function::name);
    if (found == all.end()) throw mistake{t.offset, t.length, "there is no function " + quoted(t.text) + near_function(t.text)};
    const auto given = arguments(t.text);
    check_count(*found, given.size(), t.offset);
    return add(op::call, t.offset, given, static_cast<std::uint32_t>(found - all.begin()));
}

std::uint32_t parser::closure_call(const token& t, closure c) {
    enter(t.offset);
    expect("(", quoted(t.text));
    const std::uint32_t list = expression(weakest);
    if (!takes(",")) unexpected("\",\" and an expression about \"#\" in " + quoted(t.text));
    ++closures_;
    const std::uint32_t body = expression(weakest);
    --closures_;
    expect(")", "the arguments of " + quoted(t.text));
    leave();
    return add(op::closure, t.offset, {list, body}, static_cast<std::uint32_t>(c));
}

std::uint32_t parser::method(std::uint32_t of, const token& name, std::uint32_t from) {
    const auto all = date_methods();
    const auto found = std::ranges::find(all, name.text, &function::name);
    if (found == all.end()) throw mistake{name.offset, name.length, "there is no method " + quoted(name.text) + near_method(name.text)};
    std::vector<std::uint32_t> kids = arguments(name.text);
    check_count(*found, kids.size(), name.offset);
    kids.insert(kids.begin(), of);
    return add(op::method, from, kids, static_cast<std::uint32_t>(found - all.begin()));
}

std::uint32_t parser::pattern_call(const token& t) {
    const auto given = arguments(t.text);
    if (given.size() != 2)
        throw mistake{t.offset, end_ - t.offset, quoted(t.text) + " takes 2 arguments, not " + std::to_string(given.size())};
    const node& n = code_.nodes[given[1]];
    if (n.what != op::constant || code_.constants[n.data].what != kind::text)
        throw mistake{n.offset, n.length, "the pattern of " + quoted(t.text) + " is a text that stands in the expression"};
    RE2::Options options{RE2::Quiet};
    options.set_max_mem(4 << 20);
    const std::string_view text = code_.constants[n.data].view();
    auto pattern = std::make_unique<RE2>(re2::StringPiece{text.data(), text.size()}, options);
    if (!pattern->ok()) throw mistake{n.offset, n.length, "the pattern cannot be read: " + pattern->error()};
    if (pattern->NumberOfCapturingGroups() > 64) throw mistake{n.offset, n.length, "the pattern has more than 64 groups"};
    const bool is_extract = t.is("extract");
    code_.patterns.push_back(std::move(pattern));
    const std::uint32_t at = add(op::match, t.offset, given, static_cast<std::uint32_t>(code_.patterns.size() - 1));
    code_.nodes[at].flag = is_extract;
    return at;
}

std::uint32_t parser::round_bracket(const token& t) {
    (void)take();
    enter(t.offset);
    const std::uint32_t inside = expression(weakest);
    if (words_->now.is("..")) return range(t, inside);
    expect(")", "what stands in brackets");
    leave();
    return inside;
}

std::uint32_t parser::square_bracket(const token& t) {
    (void)take();
    enter(t.offset);
    std::vector<std::uint32_t> items;
    while (!words_->now.is("]")) {
        items.push_back(expression(weakest));
        if (items.size() == 1 && words_->now.is("..")) return range(t, items.front());
        if (!takes(",")) break;
    }
    expect("]", "the elements of the list");
    leave();
    return add(op::list, t.offset, items);
}

std::uint32_t parser::range(const token& t, std::uint32_t from) {
    (void)take();
    const std::uint32_t to = expression(weakest);
    const bool is_open = t.is("(");
    expect(is_open ? ")" : "]", "the end of the range");
    leave();
    return add(op::range, t.offset, {from, to}, is_open ? 1 : 0);
}

std::uint32_t parser::object(const token& t) {
    (void)take();
    enter(t.offset);
    std::vector<std::uint32_t> kids;
    std::vector<std::string> keys;
    while (!words_->now.is("}")) {
        const token key = words_->now;
        if (key.what != word::name && key.what != word::text) unexpected("a key");
        (void)take();
        std::string text = key.what == word::name ? std::string{key.text} : unquoted(between_quotes(key), key.offset + 1);
        if (std::ranges::find(keys, text) != keys.end())
            throw mistake{key.offset, key.length, "the key " + quoted(text) + " stands here twice"};
        keys.push_back(std::move(text));
        expect(":", "the key");
        kids.push_back(expression(weakest));
        if (!takes(",")) break;
    }
    expect("}", "the members of the object");
    leave();
    const auto first = static_cast<std::uint32_t>(code_.names.size());
    code_.names.insert(code_.names.end(), keys.begin(), keys.end());
    return add(op::object, t.offset, kids, first);
}

std::uint32_t parser::template_of(const token& t) {
    enter(t.offset);
    const std::uint32_t to = t.offset + t.length - 1;
    std::vector<std::uint32_t> parts;
    std::uint32_t from = t.offset + 1;
    const std::string_view source = code_.source;
    const auto text_until = [&](std::uint32_t until) {
        if (until > from) parts.push_back(text_constant(from, unquoted(source.substr(from, until - from), from, '`')));
    };
    for (std::uint32_t i = from; i < to; ++i) {
        if (source[i] == '\\') {
            ++i;
        } else if (source[i] == '$' && i + 1 < to && source[i + 1] == '{') {
            text_until(i);
            const std::uint32_t end = end_of_hole(source, i + 2, to);
            const reading_state outside = *words_;
            const std::uint32_t last = end_;
            begin(i + 2, end);
            parts.push_back(expression(weakest));
            if (words_->now.what != word::end) unexpected("the end of \"${…}\"");
            *words_ = outside;
            end_ = last;
            i = end;
            from = end + 1;
        }
    }
    text_until(to);
    leave();
    return add(op::join, t.offset, parts);
}

}  // namespace mqb::core::expressions
