// mqb_shape_broker: the helper process that holds the queues and the journal of a test, so that they outlive the host.
//   mqb_shape_broker serve SOCKET        says "ready" and serves until its standard input ends
//   mqb_shape_broker with COMMAND…       serves on a socket of its own, named in MQB_SHAPE_SOCKET, while the command runs
//   mqb_shape_broker tell COMMAND…       one command (admin.cpp) to the broker of MQB_SHAPE_SOCKET
#include "server.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <cstdio>
#include <cstdlib>

namespace {

namespace wire = mqb::shapes::wire;
using mqb::shapes::broker::server;

constexpr const char* socket_variable = "MQB_SHAPE_SOCKET";

int serve(const char* path) {
    server here(path);
    std::puts("ready");
    std::fflush(stdout);
    here.run_until(STDIN_FILENO);
    return 0;
}

// The code of the command; of one that died by a signal 128 and the signal, as shells say it.
int serve_while(char** command) {
    std::string folder = std::string(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp") + "/mqb-shapes-" + std::string(6, 'X');
    if (!mkdtemp(folder.data())) throw std::runtime_error("no scratch folder");
    int code = 0;
    {
        const std::string path = folder + "/broker";
        server here(path);
        setenv(socket_variable, path.c_str(), 1);
        const pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            execvp(command[0], command);
            std::perror(command[0]);
            _exit(127);
        }
        const int ended = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
        if (child < 0 || ended < 0) throw std::runtime_error("the command cannot be started");
        here.run_until(ended);
        close(ended);
        waitpid(child, &code, 0);
    }
    rmdir(folder.c_str());
    return WIFEXITED(code) ? WEXITSTATUS(code) : 128 + WTERMSIG(code);
}

int tell(char** words) {
    const char* path = getenv(socket_variable);
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    if (!path || std::string_view(path).size() >= sizeof where.sun_path) throw std::runtime_error("MQB_SHAPE_SOCKET names no socket");
    std::string_view(path).copy(where.sun_path, sizeof where.sun_path - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) throw std::runtime_error("there is no broker");
    std::string command;
    for (; *words; ++words) command += (command.empty() ? "" : " ") + std::string(*words);
    wire::writer out(wire::verb::admin, 1);
    const std::string frame = out.text(command).frame();
    send(fd, frame.data(), frame.size(), MSG_NOSIGNAL);
    wire::splitter incoming;
    char bytes[1 << 16];
    for (ssize_t n; (n = recv(fd, bytes, sizeof bytes, 0)) > 0;) {
        incoming.add(bytes, static_cast<std::size_t>(n));
        if (const auto answer = incoming.next()) {
            wire::reader in(*answer);
            in.u8();
            const std::string text(in.text());
            std::puts(text.c_str());
            close(fd);
            return text.starts_with("error") ? 1 : 0;
        }
    }
    throw std::runtime_error("the broker did not answer");
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 2 ? argv[1] : "";
    try {
        if (what == "serve") return serve(argv[2]);
        if (what == "with") return serve_while(argv + 2);
        if (what == "tell") return tell(argv + 2);
    } catch (const std::exception& wrong) {
        std::fprintf(stderr, "mqb_shape_broker: %s\n", wrong.what());
        return 2;
    }
    std::fputs("mqb_shape_broker serve SOCKET | with COMMAND... | tell COMMAND...\n", stderr);
    return 2;
}
