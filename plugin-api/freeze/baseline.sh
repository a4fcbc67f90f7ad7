#!/usr/bin/env bash
# baseline.sh check|update WITNESS BASELINE: compares the ABI that the witness library shows with the baseline, or writes the baseline.
set -euo pipefail
action=$1 witness=$2 baseline=$3

case $action in
  check)
    # Any change counts: abidiff answers 4 for a legal append and for a break alike, so a person has to look.
    if ! abidiff --no-architecture --harmless "$baseline" "$witness"; then
      echo "The plugin ABI is not what ${baseline##*/} says."
      echo "If the change is meant: review and update the baseline with"
      echo "  cmake --build build/PRESET --target abi_baseline_update"
      exit 1
    fi
    ;;
  update)
    abidw --no-architecture --no-corpus-path --no-comp-dir-path --no-elf-needed --no-show-locs --type-id-style hash \
      --out-file "$baseline" "$witness"
    ;;
  *) exit 2 ;;
esac
