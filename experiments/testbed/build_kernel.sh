#!/bin/bash
# Builds the testbed's kernel (User-Mode Linux, virtual time) and its guest tools into a cache.
#
#   experiments/testbed/build_kernel.sh          build unless cached; prints the cache entry
#   experiments/testbed/build_kernel.sh --print  print the cache entry; no build
#
# The cache is $EVENFLOW_CACHE (default ~/.cache/evenflow). Names hold the Debian version of the source
# and a hash of what the thing is made of:
#   kernel-<version>-<hash of kernel/>/  linux, config
#   uml-<version>-<hash of kernel/ and guest/*.[ch]>/  linux, config, versions.json and
#     tools/: lowat.so pinger netem qdisc_peak tcp_info poweroff fp_state. This is the cache entry that a run uses.
# Needs no privileges. Takes about three minutes on two cores and 2 GB of scratch space (TMPDIR).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${EVENFLOW_CACHE:-$HOME/.cache/evenflow}
tarball=/usr/src/linux-source-6.12.tar.xz

die() { echo "build_kernel.sh: $*" >&2; exit 1; }

# package:thing to look for. A path must exist; a word must be a command.
needed="linux-source-6.12:$tarball gcc:gcc make:make flex:flex bison:bison bc:bc patch:patch
 xz-utils:xz libelf-dev:/usr/include/libelf.h libc6-dev:/usr/include/stdio.h
 linux-libc-dev:/usr/include/linux/netlink.h
 iproute2:/sbin/tc iperf:iperf python3:python3 util-linux:setarch"
missing=
for pair in $needed; do
  package=${pair%%:*} thing=${pair#*:}
  case $thing in
    /*) [ -e "$thing" ] || missing+=" $package" ;;
    *) command -v "$thing" >/dev/null || missing+=" $package" ;;
  esac
done
[ -z "$missing" ] || die "missing Debian package(s):$missing
  remedy: sudo apt-get install$missing"

source_version=$(dpkg-query -W -f '${Version}' linux-source-6.12 2>/dev/null || echo unpackaged)
kernel_files='kernel/*.config kernel/*.patch kernel/*.c'
hash_of() { (cd "$here" && cat $* | sha256sum | cut -c1-12); } # globs expand there
kernel=$cache/kernel-$source_version-$(hash_of "$kernel_files")
hash=$(hash_of "$kernel_files guest/*.c guest/*.h")
entry=$cache/uml-$source_version-$hash
[ "${1:-}" = --print ] && { echo "$entry"; exit 0; }
[ -x "$entry/linux" ] && { echo "$entry"; exit 0; }

mkdir -p "$cache"
work=$(mktemp -d "${TMPDIR:-/tmp}/evenflow-kernel.XXXXXX")
trap 'rm -rf "$work"' EXIT

put_in_place() { rm -rf "$2.new" && cp -a "$1" "$2.new" && mv -T "$2.new" "$2"; }

build_kernel() {
  local tree=$work/linux-source-6.12 log=$work/build.log patch option
  echo "building the testbed kernel from $source_version (about three minutes)" >&2
  tar -C "$work" -xf "$tarball"
  for patch in "$here"/kernel/*.patch; do
    patch -d "$tree" -p1 -s <"$patch" || die "$(basename "$patch") does not apply to $source_version"
  done
  cp "$here"/kernel/*.c "$tree/net/ipv4/"
  export ARCH=um KBUILD_BUILD_TIMESTAMP=2026-01-01
  # the build's number is in the kernel's name, which is part of the guest's random seed
  export KBUILD_BUILD_USER=evenflow KBUILD_BUILD_HOST=evenflow KBUILD_BUILD_VERSION=1
  make -C "$tree" allnoconfig KCONFIG_ALLCONFIG="$here/kernel/uml-time-travel.config" >"$log" 2>&1 ||
    { tail -20 "$log" >&2; die "the kernel cannot be configured"; }
  while read -r option; do
    grep -qxF "$option" "$tree/.config" ||
      die "the source does not know $option (kernel/uml-time-travel.config)"
  done < <(grep '=y$' "$here/kernel/uml-time-travel.config")
  make -C "$tree" -j2 linux >>"$log" 2>&1 || { tail -30 "$log" >&2; die "the kernel does not build"; }
  mkdir "$work/kernel"
  strip -o "$work/kernel/linux" "$tree/linux"
  cp "$tree/.config" "$work/kernel/config"
  make -s -C "$tree" kernelversion >"$work/kernel/version"
  put_in_place "$work/kernel" "$kernel"
}

[ -x "$kernel/linux" ] || build_kernel
mkdir -p "$work/entry/tools"
cp "$kernel/linux" "$kernel/config" "$work/entry"
for tool in pinger netem qdisc_peak tcp_info poweroff fp_state; do
  gcc -O2 -Wall -o "$work/entry/tools/$tool" "$here/guest/$tool.c"
done
gcc -O2 -Wall -shared -fPIC -o "$work/entry/tools/lowat.so" "$here/guest/lowat.c" -ldl
cat >"$work/entry/versions.json" <<J
{"kernel": "$(cat "$kernel/version")", "kernel_package": "linux-source-6.12 $source_version",
 "kernel_build": "$hash", "compiler": "$(gcc --version | head -1)"}
J
put_in_place "$work/entry" "$entry"
echo "$entry"
