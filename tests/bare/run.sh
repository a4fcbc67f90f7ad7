#!/usr/bin/env bash
# Runs commands in a bare Debian 12 that has git and nothing else, on a fresh clone of this repository with the files as they are now.
#
#   tests/bare/run.sh                       ./dev run, then ./dev test
#   tests/bare/run.sh './dev run a.yaml'    each argument is one command line, run at the top of the clone
#
# Needs root and mmdebstrap. MQB_BARE_KEEP=DIR keeps the system there and uses it again: then it is no longer bare.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
(($#)) || set -- './dev run' './dev test'

for tool in mmdebstrap unshare chroot; do
  command -v "$tool" >/dev/null || { echo "tests/bare: needs $tool" >&2 && exit 1; }
done

system=${MQB_BARE_KEEP-}
if [[ -z $system ]]; then
  system=$(mktemp -d)
  # What is mounted below is mounted in the commands' own namespace and gone with them: only files are removed here.
  trap 'rm -rf --one-file-system "$system"' EXIT
fi

if [[ ! -x $system/usr/bin/git ]]; then
  mmdebstrap --quiet --variant=minbase --include=git,ca-certificates bookworm "$system"
fi
cp -L /etc/resolv.conf "$system/etc/resolv.conf"
proxy=$(apt-config dump Acquire::http::Proxy Acquire::https::Proxy 2>/dev/null || true)
[[ -z $proxy ]] || echo "$proxy" >"$system/etc/apt/apt.conf.d/90proxy"

clone=$system/root/mqbridge
rm -rf "$clone"
git clone --quiet --no-hardlinks . "$clone" 2>/dev/null
find "$clone" -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
git ls-files -co --exclude-standard -z | while IFS= read -r -d '' file; do
  if [[ -e $file ]]; then printf '%s\0' "$file"; fi
done | tar --create --null --files-from=- | tar --extract --directory="$clone"

for line in "$@"; do
  echo "== bare Debian 12: $line"
  started=$SECONDS
  # shellcheck disable=SC2016
  unshare --mount --pid --fork --kill-child bash -c '
    mount --make-rprivate / && mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount -t tmpfs tmpfs "$1/dev/shm" &&
      exec chroot "$1" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        bash -c "cd /root/mqbridge && $2"' bare "$system" "$line" </dev/null
  echo "== passed after $((SECONDS - started)) s: $line"
done
