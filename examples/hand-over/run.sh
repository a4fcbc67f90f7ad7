#!/usr/bin/env bash
# A durable hand-over between two processes: both are killed while they work, started again, and nothing is missing.
#   examples/hand-over/run.sh [mqbridge | BUILD_FOLDER]    unset: build/release
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${1-$here/../../build/release}
[[ ! -d $program ]] || program=$program/bin/mqbridge
[[ -x $program ]] || { echo "hand-over: $program is not there: build first, with ./dev build" >&2 && exit 1; }
program=$(realpath "$program")

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$here"/*.yaml "$scratch"
cd "$scratch"
echo '{"id":"1","customer":"Miller"}' >customers.jsonl
for ((i = 2; i <= 400; i++)); do echo "{\"id\":\"$i\",\"customer\":\"Customer $i\"}"; done >>customers.jsonl

echo "== the routes ($here)"
cat producer.yaml consumer.yaml
"$program" run producer.yaml --state-dir state-producer 2>producer.log &
first=$!
"$program" run consumer.yaml --state-dir state-consumer 2>consumer.log &
second=$!
until [[ -s imported.jsonl ]]; do sleep 0.01; done
kill -9 $first $second 2>/dev/null || true
wait $first $second 2>/dev/null || true
echo "== killed both, with $(wc -l <imported.jsonl) customers imported and $(find spool -name '*.bin' | wc -l) in the spool"
"$program" run producer.yaml --state-dir state-producer &
first=$!
"$program" run consumer.yaml --state-dir state-consumer
wait $first
echo "== the spool afterwards: $(ls spool)"
echo "== imported"
sort -u -t '"' -k 4,4n imported.jsonl | sed -n '1p;$p'
echo "missing: $(sort -u customers.jsonl | comm -23 - <(sort -u imported.jsonl) | wc -l)"
