#include "host/commands/dlq.hpp"

#include "host/commands/commands.hpp"
#include "host/commands/dlq_selection.hpp"
#include "host/commands/dlq_text.hpp"

#include <iostream>

namespace mqb::host {

namespace {

int failed(const core::failure& why, const state::text_filter& clean, int code = exit_failed) {
    std::cerr << "mqbridge dlq: " << clean(why.text) << '\n';
    return code;
}

core::result<std::uint64_t> list_json(state::letter_archive& in, const state::letter_filter& filter, const state::text_filter& clean) {
    bool is_first = true;
    std::cout << '[';
    const auto count = each_page(in, filter, [&](const std::vector<state::letter>& page) {
        for (const state::letter& l : page) {
            std::cout << (is_first ? "\n" : ",\n") << state::to_json(l, clean);
            is_first = false;
        }
    });
    if (count) std::cout << (is_first ? "]\n" : "\n]\n");
    return count;
}

}  // namespace

int dlq_list(const dlq_list_options& options) {
    const state::text_filter clean = cleaner(options.place);
    const auto filter = read_selection(options.which, wall_ns());
    if (!filter) return failed(filter.error(), clean, exit_bad_input);
    auto archive = open_archive(options.place);
    if (!archive) return failed(archive.error(), clean);
    if (!*archive) return std::cout << (options.json ? "[]\n" : "no dead letters\n"), exit_done;
    core::result<std::uint64_t> count = std::uint64_t{0};
    if (options.json) {
        count = list_json(**archive, *filter, clean);
    } else {
        letter_table table{std::cout, style_of_output(), clean, wall_ns()};
        count = each_page(**archive, *filter, [&](const std::vector<state::letter>& page) { table.add(page); });
        if (count && *count == 0) std::cout << "no dead letters\n";
    }
    if (!count) return std::cout << std::flush, failed(count.error(), clean);
    return std::cout.flush() ? exit_done : exit_failed;
}

int dlq_show(const dlq_show_options& options) {
    const state::text_filter clean = cleaner(options.place);
    auto archive = open_archive(options.place);
    if (!archive) return failed(archive.error(), clean);
    const core::failure missing{core::status::retry, "there is no dead letter " + std::to_string(options.id)};
    if (!*archive) return failed(missing, clean);
    const auto head = (*archive)->find(options.id);
    if (!head) return failed(head.error(), clean);
    const auto content = (*archive)->content(options.id);
    if (!content) return failed(content.error(), clean);
    if (!*head || !*content) return failed(missing, clean);
    if (options.json)
        std::cout << state::to_json(**head, **content, clean) << '\n';
    else
        print_letter(std::cout, **head, **content, clean, wall_ns());
    return std::cout.flush() ? exit_done : exit_failed;
}

int dlq_purge(const dlq_purge_options& options) {
    const state::text_filter clean = cleaner(options.place);
    const auto filter = read_selection(options.which, wall_ns());
    if (!filter) return failed(filter.error(), clean, exit_bad_input);
    if (filter->is_open() && !options.all)
        return failed({core::status::bad_config, "purge: say which letters with a filter, or --all"}, clean, exit_bad_input);
    auto archive = open_archive(options.place);
    if (!archive) return failed(archive.error(), clean);
    std::uint64_t gone = 0;
    if (*archive) {
        const auto purged = (*archive)->purge(*filter);
        if (!purged) return failed(purged.error(), clean);
        gone = *purged;
    }
    if (options.json)
        std::cout << "{\"purged\":" << gone << "}\n";
    else
        std::cout << gone << (gone == 1 ? " dead letter" : " dead letters") << " purged\n";
    return std::cout.flush() ? exit_done : exit_failed;
}

}  // namespace mqb::host
