#include "core/expressions/parser.hpp"

#include <algorithm>
#include <array>

namespace mqb::core::expressions {

namespace {

struct binary {
    std::string_view sign;
    op what;
    int strength;
    int right;  // strength that the right side has at least
};
constexpr int add_strength = 5, not_strength = 6, multiply_strength = 7, front_strength = 10;
constexpr std::array<binary, 16> operators = {{{"or", op::or_, 2, 3},
                                               {"and", op::and_, 3, 4},
                                               {"==", op::equal, 4, add_strength},
                                               {"!=", op::not_equal, 4, add_strength},
                                               {"<", op::less, 4, add_strength},
                                               {">", op::greater, 4, add_strength},
                                               {"<=", op::at_most, 4, add_strength},
                                               {">=", op::at_least, 4, add_strength},
                                               {"in", op::in, 4, add_strength},
                                               {"+", op::add, add_strength, not_strength},
                                               {"-", op::subtract, add_strength, not_strength},
                                               {"*", op::multiply, multiply_strength, 8},
                                               {"/", op::divide, multiply_strength, 8},
                                               {"%", op::remainder, multiply_strength, 8},
                                               {"^", op::power, 8, 8},
                                               {"??", op::coalesce, 9, front_strength}}};

const binary* operator_of(const token& t) noexcept {
    const auto found = std::ranges::find_if(operators, [&](const binary& b) { return t.is(b.sign); });
    return found == operators.end() ? nullptr : &*found;
}

}  // namespace

void parser::run() {
    if (code_.source.size() > longest_expression)
        throw mistake{0, 1, "the expression is longer than " + std::to_string(longest_expression) + " bytes"};
    begin(0, static_cast<std::uint32_t>(code_.source.size()));
    code_.start = statements();
}

void parser::begin(std::uint32_t from, std::uint32_t to) {
    words_.emplace(reading_state{lexer{code_.source, from, to}, {}, {}});
    words_->now = words_->words.next();
    words_->next = words_->words.next();
    end_ = from;
}

token parser::take() {
    const token t = words_->now;
    words_->now = words_->next;
    words_->next = words_->words.next();
    end_ = t.offset + t.length;
    return t;
}

bool parser::takes(std::string_view sign) {
    if (!words_->now.is(sign)) return false;
    (void)take();
    return true;
}

void parser::expect(std::string_view sign, std::string_view after) {
    if (!takes(sign)) unexpected("\"" + std::string{sign} + "\" after " + std::string{after});
}

void parser::unexpected(std::string_view wanted) {
    const token& t = words_->now;
    std::string text = t.what == word::end
                           ? "the expression ends where " + std::string{wanted} + " is missing"
                           : "\"" + std::string{t.text.substr(0, 40)} + "\" stands where " + std::string{wanted} + " is expected";
    if (t.is("=")) text += " (did you mean \"==\"?)";
    throw mistake{t.offset, std::max(t.length, 1u), std::move(text)};
}

void parser::enter(std::uint32_t at) {
    if (++brackets_ > deepest_brackets) throw mistake{at, 1, "the nesting of brackets is deeper than " + std::to_string(deepest_brackets)};
}

std::uint32_t parser::statements() {
    const std::uint32_t from = words_->now.offset;
    std::vector<std::uint32_t> all;
    while (words_->now.what == word::name && words_->next.is("=")) {
        const token name = take();
        const token sign = take();
        if (code_.meant_for == purpose::filter)
            throw mistake{sign.offset, 1, "\"=\" sets a value, which a filter does not do (did you mean \"==\"?)"};
        if (name.is("meta") || name.is("true") || name.is("false") || name.is("null") || name.text.starts_with('$'))
            throw mistake{name.offset, name.length, "\"" + std::string{name.text} + "\" cannot be set"};
        const std::uint32_t what = expression(weakest);
        const auto known = std::ranges::find(code_.locals, name.text);
        const auto local = static_cast<std::uint32_t>(known - code_.locals.begin());
        if (known == code_.locals.end()) code_.locals.emplace_back(name.text);
        all.push_back(add(op::assign, name.offset, {what}, local));
        if (!takes(";")) throw mistake{sign.offset, 1, "what is set is followed by \";\" and an expression (did you mean \"==\"?)"};
    }
    all.push_back(expression(weakest));
    (void)takes(";");
    if (words_->now.what != word::end) unexpected("an operator or the end");
    return all.size() == 1 ? all.front() : add(op::sequence, from, all);
}

std::uint32_t parser::expression(int least) {
    std::uint32_t left = prefix();
    for (;;) {
        if (words_->now.is("?") && least <= weakest) {
            left = conditional(left);
            continue;
        }
        const std::uint32_t next = operation(left, least);
        if (next == left) return left;
        left = next;
    }
}

std::uint32_t parser::conditional(std::uint32_t condition) {
    const std::uint32_t from = code_.nodes[condition].offset;
    const token sign = take();
    enter(sign.offset);
    const std::uint32_t if_true = expression(weakest);
    expect(":", "the first choice of \"?\"");
    const std::uint32_t if_false = expression(weakest);
    leave();
    return add(op::conditional, from, {condition, if_true, if_false});
}

// The operation that begins behind `left`, or `left` where none of at least that strength does.
std::uint32_t parser::operation(std::uint32_t left, int least) {
    const std::uint32_t from = code_.nodes[left].offset;
    const bool is_not_in = words_->now.is("not") && words_->next.is("in");
    const binary* sign = operator_of(is_not_in ? words_->next : words_->now);
    if (!sign || sign->strength < least) return left;
    const token at = take();
    if (is_not_in) (void)take();
    enter(at.offset);
    std::vector<std::uint32_t> kids{left, expression(sign->right)};
    // One node for a row of them, however long.
    if (sign->what == op::or_ || sign->what == op::and_) {
        while (takes(sign->sign)) kids.push_back(expression(sign->right));
    }
    leave();
    return add(is_not_in ? op::not_in : sign->what, from, kids);
}

std::uint32_t parser::prefix() {
    const token t = words_->now;
    if (t.is("not") || t.is("!")) {
        (void)take();
        enter(t.offset);
        const std::uint32_t of = expression(multiply_strength);
        leave();
        return add(op::not_, t.offset, {of});
    }
    if (t.is("-") || t.is("+")) {
        (void)take();
        enter(t.offset);
        const std::uint32_t of = expression(front_strength);
        leave();
        return add(op::negate, t.offset, {of}, t.is("+") ? 1 : 0);
    }
    const std::uint32_t of = operand();
    return postfix(of, t.offset);
}

std::uint32_t parser::add(op what, std::uint32_t from, std::span<const std::uint32_t> kids, std::uint32_t data) {
    node n;
    n.what = what;
    n.offset = from;
    n.length = std::max(end_, from + 1) - from;
    n.first = static_cast<std::uint32_t>(code_.kids.size());
    n.count = static_cast<std::uint32_t>(kids.size());
    n.data = data;
    for (const std::uint32_t k : kids) n.depth = std::max<std::uint16_t>(n.depth, static_cast<std::uint16_t>(code_.nodes[k].depth + 1));
    if (n.depth > deepest_tree) throw mistake{from, n.length, "the nesting of operations is deeper than " + std::to_string(deepest_tree)};
    code_.kids.insert(code_.kids.end(), kids.begin(), kids.end());
    code_.nodes.push_back(n);
    const auto at = static_cast<std::uint32_t>(code_.nodes.size() - 1);
    fold(code_, at);
    return at;
}

std::uint32_t parser::constant(std::uint32_t from, const value& v) {
    code_.constants.push_back(v);
    return add(op::constant, from, {}, static_cast<std::uint32_t>(code_.constants.size() - 1));
}

std::uint32_t parser::text_constant(std::uint32_t from, std::string_view text) {
    return constant(from, value::of(code_.memory.copy(text)));
}

std::uint32_t parser::field(std::uint32_t from, path p) {
    const auto known = std::ranges::find(code_.fields, p);
    const auto at = static_cast<std::uint32_t>(known - code_.fields.begin());
    if (known == code_.fields.end()) code_.fields.push_back(std::move(p));
    return add(op::field, from, {}, at);
}

std::uint32_t parser::name_of(std::string_view text) {
    code_.names.emplace_back(text);
    return static_cast<std::uint32_t>(code_.names.size() - 1);
}

}  // namespace mqb::core::expressions
