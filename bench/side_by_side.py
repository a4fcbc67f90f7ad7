"""side_by_side: a route and its floor, run in turn; CPU seconds of the whole process, and peak memory."""
import os
import statistics
import sys

ROUNDS = 5
FLOORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "floors")


def run(command):
    """CPU seconds and peak resident KiB of one child."""
    pid = os.posix_spawn(command[0], command, dict(os.environ),
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                                       (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)])
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} ended with {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def route_command(mqbridge, plugins, scratch, route):
    """The command that runs one route to the end of its input."""
    file = os.path.join(scratch, "routes.yaml")
    with open(file, "w", encoding="utf-8") as f:
        f.write(route)
    return [mqbridge, "run", "--drain", "--state-dir", os.path.join(scratch, "state"), "--plugin-dir", plugins, file]


def compare(title, count, commands, before_round=lambda: None):
    """commands: name -> command, ours first, the floor last. Prints the medians and what the first is of the last."""
    results = {name: [] for name in commands}
    for _ in range(ROUNDS):
        before_round()
        for name, command in commands.items():
            results[name].append(run(command))
    print(f"{title}, median of {ROUNDS}")
    rate = {}
    for name, runs in results.items():
        rate[name] = count / statistics.median(cpu for cpu, _ in runs)
        print(f"  {name:10} {rate[name] / 1e6:6.2f} M messages per CPU second   peak {max(rss for _, rss in runs) / 1024:6.1f} MiB")
    first, last = list(rate)[0], list(rate)[-1]
    print(f"  of the {last} {rate[first] / rate[last]:.0%}", flush=True)
