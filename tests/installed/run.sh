#!/usr/bin/env bash
# run.sh [BUILD_DIR]: what a stranger does. Installs the product from a build tree, makes plugins outside of the tree against the
# installed package with GCC, with Clang and in plain C, drops them into a directory, and runs them in routes with no rebuild of the
# host. Then breaks two of them, and the other routes still run.
set -euo pipefail
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${1:-$tree/build/release}
[[ $build == /* ]] || build=$PWD/$build
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
fail() {
  echo "installed: FAILED: $1" >&2
  [[ ! -f ${2-} ]] || sed 's/^/    /' "$2" >&2
  exit 1
}
ok() { passed=$((passed + 1)) && echo "installed: ok: $1"; }

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" 2>&1 || fail "cmake --install" "$work/install.log"
host=$work/prefix/bin/mqbridge
"$host" --version >/dev/null || fail "the installed program does not start"
ok "the product is installed"

mkdir "$work/plugins"
# outside NAME C_COMPILER CXX_COMPILER: builds the project in $work/NAME and drops what it made.
outside() {
  cmake -S "$work/$1" -B "$work/$1/build" -DCMAKE_C_COMPILER="$2" -DCMAKE_CXX_COMPILER="$3" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/$1.log" 2>&1 || fail "$1 does not configure" "$work/$1.log"
  cmake --build "$work/$1/build" >>"$work/$1.log" 2>&1 || fail "$1 does not build" "$work/$1.log"
  local made
  made=$(find "$work/$1/build" -name "libmqb_$1.so")
  [[ -n $made ]] || fail "$1 made no library" "$work/$1.log"
  [[ $(nm -D --defined-only "$made" | awk '$2 != "A" {print $3}' | sed 's/@.*//') == mqb_plugin_v1 ]] || fail "$1 exports more than its door"
  cp "$made" "${made%.so}.json" "$work/plugins/"
}
for compiler in gcc clang; do
  "$host" new plugin "made_by_$compiler" "$work/made_by_$compiler" >/dev/null
done
outside made_by_gcc gcc g++
ok "GCC builds the starter plugin against the installed package"
outside made_by_clang clang-14 clang++-14
ok "Clang builds it too"
mkdir "$work/tiny"
cp "$tree/tests/c-plugin/tiny.c" "$work/tiny/"
cat >"$work/tiny/CMakeLists.txt" <<'EOT'
cmake_minimum_required(VERSION 3.25)
project(tiny LANGUAGES C)
find_package(mqbridge-sdk REQUIRED)
mqb_add_plugin(tiny SOURCES tiny.c)
EOT
outside tiny gcc g++
ok "a project in C alone builds the C plugin"

cp "$tree/tests/c-plugin/conformance.json" "$work/tiny/"
for plugin in made_by_gcc made_by_clang tiny; do
  "$host" conformance "$work/plugins/libmqb_$plugin.so" --config "$work/$plugin/conformance.json" >"$work/kit.log" 2>&1 ||
    fail "the kit on $plugin" "$work/kit.log"
done
ok "the kit passes all three"

seq 1 1000 | tee "$work/lines_for_gcc" >"$work/lines_for_clang"
cat >"$work/routes.yaml" <<EOT
from_gcc: {input: {made_by_gcc: {path: $work/lines_for_gcc}}, output: {file: {path: $work/gcc.txt, format: raw}}}
from_clang: {input: {made_by_clang: {path: $work/lines_for_clang}}, output: {file: {path: $work/clang.txt, format: raw}}}
from_c: {input: {tiny: {to: 1000}}, output: {file: {path: $work/c.txt, format: raw}}}
EOT
run() { "$host" run --drain --state-dir "$work/state" --plugin-dir "$work/plugins:$work/prefix/lib/mqbridge/plugins" "$work/routes.yaml" >"$work/run.log" 2>&1; }
run || fail "a run with three plugins of strangers" "$work/run.log"
cmp <(seq 1 1000) "$work/c.txt" || fail "what the C plugin sent is not what arrived" "$work/run.log"
cmp <(seq 1 1000) "$work/gcc.txt" || fail "the plugin built by GCC" "$work/run.log"
cmp <(seq 1 1000) "$work/clang.txt" || fail "the plugin built by Clang" "$work/run.log"
ok "all three run in routes of the installed host"

# One loses its door, one is cut: each is named, the third runs.
objcopy --strip-all "$work/plugins/libmqb_made_by_gcc.so" 2>/dev/null || true
sed -i 's/mqb_plugin_v1/mqb_plugin_v9/g' "$work/plugins/libmqb_made_by_gcc.so"
truncate -s 4096 "$work/plugins/libmqb_made_by_clang.so"
rm "$work/c.txt"
if run; then fail "a run with two broken plugins ended with 0" "$work/run.log"; fi
cmp <(seq 1 1000) "$work/c.txt" || fail "the healthy route did not end" "$work/run.log"
for plugin in made_by_gcc made_by_clang; do
  grep -q "libmqb_$plugin.so" "$work/run.log" || fail "libmqb_$plugin.so is not named" "$work/run.log"
done
ok "broken plugins are named, the healthy route runs"
echo "installed: $passed steps passed"
