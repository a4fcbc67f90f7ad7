#!/usr/bin/env bash
# notices.sh COMPILER PLUGIN_API BASELINE: proves that the baseline notices an ABI change, by making one of each kind in a copy.
set -euo pipefail
compiler=$1 room=$2 baseline=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0

# What abidiff answers for a witness built with the headers in $work. Without layout.h, whose assertions would not let it compile.
compare() {
  local answer=0
  sed 's|"layout.h"|<mqb/plugin.h>|' "$room/freeze/witness.c" >"$work/witness.c"
  "$compiler" -std=c11 -g -gdwarf-4 -O0 -fPIC -shared -fvisibility=hidden -Wl,-soname,libmqb_witness.so -I"$work/include" \
    "$work/witness.c" -o "$work/changed.so"
  abidiff --no-architecture --harmless "$baseline" "$work/changed.so" >"$work/report" || answer=$?
  echo "$answer"
}

change() { # WHAT HEADER SED_EXPRESSION
  local what=$1 header=$2 edit=$3 answer
  rm -rf "$work/include"
  cp -r "$room/include" "$work/include"
  sed -i -E "$edit" "$work/include/mqb/$header"
  if cmp -s "$room/include/mqb/$header" "$work/include/mqb/$header"; then
    echo "notices.sh: '$what' changes nothing in $header any more: adapt its expression"
    missed=1
    return
  fi
  answer=$(compare)
  # 4: the ABI has changed. 1 and 2 would be a failure of abidiff itself.
  if ((!(answer & 4))); then
    echo "not noticed: $what ($header), abidiff answered $answer"
    missed=1
  fi
}

cp -r "$room/include" "$work/include"
answer=$(compare)
if ((answer != 0)); then
  echo "headers without a change are reported as changed, abidiff answered $answer"
  cat "$work/report"
  exit 1
fi
change 'a field appended to a message' message.h 's|(mqb_buffer metadata;.*)|\1 uint64_t more;|'
change 'a slot appended to a table' consumer.h 's|(void \(\*free\)\(mqb_consumer \*self\);)|\1 mqb_status (*more)(mqb_consumer *self);|'
change 'two slots swapped' publisher.h 's|\(\*cancel\)|(*x)|; s|\(\*control\)|(*cancel)|; s|\(\*x\)|(*control)|'
change 'a slot removed' store.h 's|.*\(\*cancel\)\(mqb_store.*||'
change 'a field of another type' call.h 's|uint64_t delay_ns; |int64_t delay_ns; |'
change 'a parameter of another type' host.h 's|\(mqb_host \*self, int32_t clock\)|(mqb_host *self, uint32_t clock)|'
change 'a field renamed' plugin.h 's|mqb_text licence;|mqb_text license;|'
exit $missed
