#!/usr/bin/env bash
# The quick start: runs one route in a scratch folder and shows what came of it.
#   examples/quick-start/run.sh [mqbridge | BUILD_FOLDER]    unset: build/release
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
program=${1-$here/../../build/release}
[[ ! -d $program ]] || program=$program/bin/mqbridge
[[ -x $program ]] || { echo "quick-start: $program is not there: build first, with ./dev build" >&2 && exit 1; }
program=$(realpath "$program")

scratch=$(mktemp -d)
cp "$here/routes.yaml" "$here/orders.csv" "$scratch"
cd "$scratch"
export MQB_STATE_DIR=$scratch/state

echo "== the route ($here/routes.yaml)"
cat routes.yaml
echo "== the rows (orders.csv)"
cat orders.csv
echo "== mqbridge check routes.yaml"
"$program" check routes.yaml
echo "== mqbridge run routes.yaml"
"$program" run routes.yaml --summary ledger.json
echo "== the lines ($scratch/orders.jsonl)"
cat orders.jsonl
echo "== the ledger as JSON ($scratch/ledger.json)"
cat ledger.json
echo "== the row that the output refused: mqbridge dlq list --state-dir $MQB_STATE_DIR"
"$program" dlq list
echo "== all of it: mqbridge dlq show 1 --state-dir $MQB_STATE_DIR"
"$program" dlq show 1
