#!/usr/bin/env bash
# need.sh TOOL… -- COMMAND…: runs the command if all tools are there. Else it says so and answers 77, a skipped test; 1 where CI is set.
while [[ $1 != -- ]]; do
  if ! command -v "$1" >/dev/null; then
    echo "skipped: $1 is not installed (./dev setup)"
    exit $([[ -n ${CI-} ]] && echo 1 || echo 77)
  fi
  shift
done
shift
exec "$@"
