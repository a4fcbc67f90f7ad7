#include "child.hpp"

#include "entered.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <thread>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MQB_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MQB_SANITIZED
#endif
#endif

namespace mqb::conformance {
namespace {
namespace json = boost::json;
int output_now = -1;

std::string contents(int fd) {
    std::string out;
    char part[4096];
    lseek(fd, 0, SEEK_SET);
    for (ssize_t n; (n = read(fd, part, sizeof part)) > 0;) out.append(part, static_cast<std::size_t>(n));
    return out;
}
// JSON texts must be UTF-8; what a plugin says may be anything.
std::string printable(const std::string& text) {
    std::string out;
    for (const char each : text) {
        const auto c = static_cast<unsigned char>(each);
        if ((c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t')
            out += static_cast<char>(c);
        else {
            char hex[8];
            std::snprintf(hex, sizeof hex, "\\x%02x", c);
            out += hex;
        }
    }
    return out;
}
std::string packed(const result& r, const std::string& answer) {
    json::array warnings;
    for (const std::string& w : r.warnings) warnings.push_back(json::string(printable(w)));
    return json::serialize(json::object{{"verdict", static_cast<int>(r.found)},
                                        {"rule", printable(r.rule)},
                                        {"reason", printable(r.reason)},
                                        {"warnings", warnings},
                                        {"answer", answer}});
}
void unpack(const std::string& text, result& r, std::string* answer) {
    const json::value v = json::parse(text);
    r.found = static_cast<verdict>(v.at("verdict").as_int64());
    r.rule = v.at("rule").as_string();
    r.reason = v.at("reason").as_string();
    for (const json::value& w : v.at("warnings").as_array()) r.warnings.emplace_back(w.as_string());
    if (answer) *answer = v.at("answer").as_string();
}
void write_all(int fd, const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const ssize_t n = write(fd, text.data() + at, text.size() - at);
        if (n <= 0) return;
        at += static_cast<std::size_t>(n);
    }
}

[[noreturn]] void be_the_child(const std::function<std::string()>& work, int answers, int output, trail* where) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
#ifndef MQB_SANITIZED                                                             // a sanitizer's handlers say more than ours
    for (int s : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) signal(s, SIG_DFL);  // not the crash report of the program around us
#endif
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    output_now = output;
    use_trail(where);
    std::string answer;
    const result r = in_this_process(work, &answer);
    write_all(answers, packed(r, answer));
    std::fflush(nullptr);
    _exit(0);  // destructors of the plugin's statics are not the kit's business
}

// Waits for the child; false when the time is over and it was killed.
bool wait_for(pid_t pid, std::chrono::milliseconds limit, int* status) {
    const auto until = std::chrono::steady_clock::now() + limit;
    for (auto pause = std::chrono::microseconds(300);; pause = std::min(pause * 2, std::chrono::microseconds(10000))) {
        if (waitpid(pid, status, WNOHANG) == pid) return true;
        if (std::chrono::steady_clock::now() >= until) break;
        std::this_thread::sleep_for(pause);
    }
    kill(pid, SIGKILL);
    waitpid(pid, status, 0);
    return false;
}
std::string sanitizer_line(const std::string& output) {
    for (const char* mark : {"ERROR: AddressSanitizer", "runtime error:", "WARNING: ThreadSanitizer", "SUMMARY:"}) {
        const std::size_t at = output.find(mark);
        if (at != std::string::npos) return "; " + output.substr(at, std::min<std::size_t>(output.find('\n', at) - at, 200));
    }
    return {};
}
}  // namespace

int output_of_child() { return output_now; }

result in_this_process(const std::function<std::string()>& work, std::string* answer) {
    result r;
    try {
        const std::string text = work();
        if (answer) *answer = text;
        checkpoint();
    } catch (const failure& f) {
        r.found = verdict::fail;
        r.rule = f.rule;
        r.reason = f.reason;
    } catch (const skipped& s) {
        r.found = verdict::skip;
        r.reason = s.reason;
    } catch (const std::exception& e) {
        r.found = verdict::fail;
        r.reason = std::string("the kit could not go on: ") + e.what();
    }
    const notes left = take_notes();
    r.warnings = left.warnings;
    if (!left.broken.empty() && r.found != verdict::fail) {
        r.found = verdict::fail;
        r.rule = left.broken[0].rule;
        r.reason = left.broken[0].reason;
    }
    return r;
}

result in_child(const std::function<std::string()>& work, std::chrono::milliseconds limit, std::string* answer) {
    result r;
    static trail* where = make_trail();
    where->where[0] = 0;
    const int answers = memfd_create("answers", MFD_CLOEXEC), output = memfd_create("output", MFD_CLOEXEC);
    const auto begin = std::chrono::steady_clock::now();
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    if (pid == 0) be_the_child(work, answers, output, where);
    int status = 0;
    const bool in_time = wait_for(pid, limit, &status);
    r.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    r.output = contents(output);
    const std::string text = contents(answers);
    close(answers);
    close(output);
    const std::string place = where->where[0] ? std::string(" in ") + where->where : std::string();
    if (!in_time) {
        r.found = verdict::timeout;
        r.reason = "no end within " + std::to_string(limit.count()) + " ms" + place;
    } else if (WIFSIGNALED(status)) {
        r.found = verdict::crash;
        r.reason = std::string(strsignal(WTERMSIG(status))) + " (signal " + std::to_string(WTERMSIG(status)) + ")" + place +
                   sanitizer_line(r.output);
    } else if (text.empty() || WEXITSTATUS(status) != 0) {
        r.found = verdict::crash;
        r.reason = "the process ended with exit code " + std::to_string(WEXITSTATUS(status)) + place + sanitizer_line(r.output);
    } else {
        unpack(text, r, answer);
    }
    r.output = printable(r.output);
    return r;
}

}  // namespace mqb::conformance
