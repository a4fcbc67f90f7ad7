#!/usr/bin/env bash
# headers_alone.sh CC CXX INCLUDE_DIR HEADER…: includes each header alone, in C and C++ of every supported year, with warnings as errors.
set -uo pipefail
cc=$1 cxx=$2 include=$3
shift 3
warnings=(-Wall -Wextra -pedantic -Werror)
failed=0

compile() { # HEADER COMPILER LANGUAGE FLAGS…
  if ! echo "#include \"$1\"" | "$2" -x "$3" - -fsyntax-only "-I$include" "${warnings[@]}" "${@:4}"; then
    echo "$1: does not compile alone with $2 ${*:4}"
    failed=1
  fi
}

for header in "$@"; do
  for year in c11 c17; do compile "$header" "$cc" c "-std=$year"; done
  for year in c++11 c++14 c++17 c++20; do compile "$header" "$cxx" c++ "-std=$year"; done
  # What a careful author's own flags would say about the inline functions.
  compile "$header" "$cc" c -std=c11 -Wconversion -Wsign-conversion -Wcast-qual -Wcast-align -Wshadow -Wundef -Wstrict-prototypes
  compile "$header" "$cxx" c++ -std=c++20 -Wconversion -Wsign-conversion -Wcast-qual -Wshadow -Wundef
done
exit $failed
