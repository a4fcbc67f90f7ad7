#!/usr/bin/env bash
# Builds the benchmarks in build/bench and runs them; prints ratios against a floor measured in the same run.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release -B build/bench -DMQB_BUILD_BENCH=ON -DMQB_BUILD_TESTS=OFF >/dev/null
cmake --build build/bench
build/bench/bin/bench_engine
build/bench/bin/bench_boundary
build/bench/bin/bench_expressions
build/bench/bin/bench_templates
python3 bench/ipc/bench.py build/bench/bin/mqbridge build/bench/plugins build/bench/bin/floor_b_ipc # MQB_BENCH_PEER: the peer beside it
python3 bench/csv_to_jsonl/bench.py build/bench/bin/mqbridge build/bench/plugins build/bench/bin/floor_c_csv "${1:-1000000}"
python3 bench/lines/bench.py build/bench/bin/mqbridge build/bench/plugins build/bench/bin/floor_c_lines "${1:-1000000}"
python3 bench/compressed_lines/bench.py build/bench/bin/mqbridge build/bench/plugins "${1:-1000000}"
