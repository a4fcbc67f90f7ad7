#!/usr/bin/env bash
# From route to route: through a channel, to all subscribers of a name, and through a socket to another process.
#   examples/channels/run.sh [mqbridge | BUILD_FOLDER]    unset: build/release
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${1-$here/../../build/release}
[[ ! -d $program ]] || program=$program/bin/mqbridge
[[ -x $program ]] || { echo "channels: $program is not there: build first, with ./dev build" >&2 && exit 1; }
program=$(realpath "$program")

SCRATCH=$(mktemp -d)
export SCRATCH
trap 'rm -r "$SCRATCH"' EXIT
cp "$here"/*.yaml "$here/orders.csv" "$SCRATCH"
cd "$SCRATCH"

echo "== one process: mqbridge run channel.yaml"
"$program" run channel.yaml --state-dir state
cat bills.jsonl
echo "== all subscribers: mqbridge run subscribers.yaml"
"$program" run subscribers.yaml --state-dir state
cmp billed.jsonl bills.jsonl
cmp shipped.jsonl bills.jsonl
echo "== two processes: mqbridge run import.yaml & mqbridge run export.yaml"
"$program" run import.yaml --state-dir state-of-import &
importing=$!
"$program" run export.yaml --state-dir state-of-export
wait "$importing"
cmp imported.jsonl bills.jsonl
echo "== the same lines everywhere"
