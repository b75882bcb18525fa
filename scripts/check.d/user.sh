#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# user.sh: library and command: their unit tests, built by gcc, by clang with
# sanitizers, and by both for 32 bits. Then an installed library, as other programs
# see it.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

# unit_tests NAME OUT TARGET-OR-SETTING...: each test prints one line when it has passed.
unit_tests() {
	local name=$1 out=$2 output status
	shift 2

	step "$name"
	output=$(make -s -C userspace OUT="$out" "$@" 2>&1)
	status=$?
	printf '%s\n' "$output"
	if [ $status -eq 0 ]; then
		grep -E '^(count-word|[a-z_]+_test): ' <<<"$output" |
			while read -r line; do pass "$name: $line"; done
	else
		fail "$name"
	fi
	return $status
}

# A program that is built and linked against the files of "make install".
installed() {
	local root_of=$build/installed c=userspace/examples/hello.c flags

	rm -rf "$root_of" && make -s -C userspace OUT="$root_of/build" PREFIX="$root_of" install || return
	flags=$(PKG_CONFIG_PATH=$root_of/lib/pkgconfig pkg-config --cflags --libs libtwheel) || return
	# shellcheck disable=SC2086 # flags are words
	gcc -Wall -Wextra -Werror $c $flags -o "$root_of/hello" || return
	# shellcheck disable=SC2086
	g++ -x c++ -Wall -Wextra -Werror $c -x none $flags -o "$root_of/hello++"
}

# with_ldconfig STATUS ARG...: make ARG... for the library, with an ldconfig that only says
# that it ran.
with_ldconfig() {
	local dir=$build/ldconfig status=$1

	shift
	rm -rf "$dir" && mkdir -p "$dir" || return
	printf '#!/bin/sh\necho ldconfig ran\nexit %d\n' "$status" >"$dir/ldconfig"
	chmod +x "$dir/ldconfig"
	PATH=$dir:$PATH make -s -C userspace OUT="$build/userspace" PREFIX="$dir/usr" "$@" 2>&1
}

# Programs find the library after its install, and a stage leaves this machine alone.
loader_cache() {
	local target

	for target in install uninstall; do
		[ "$(with_ldconfig 0 $target)" = "ldconfig ran" ] || echo "$target: no ldconfig"
		[[ $(with_ldconfig 1 $target && echo rc 0) == *"ldconfig failed"*"rc 0" ]] ||
			echo "$target: ldconfig's failure is not told, or fatal"
		[ -z "$(with_ldconfig 0 $target DESTDIR="$build/ldconfig")" ] ||
			echo "$target: ldconfig for a stage"
	done
}

# in_stage TARGET: make it for a stage and a kernel; print its output only if it fails.
in_stage() {
	local output

	output=$(make -s "$1" DESTDIR="$stage" PREFIX=/usr KDIR="$kernel/build" 2>&1) ||
		printf '%s\n' "$output"
}

# What is there by the name of the stage: here, and in the kernel's directories.
stages() {
	find . "$kernel" -name "${stage##*/}" -prune -print
}

# Without the kernel nobody knows where the module is, so nothing is removed.
uninstall_needs_kernel() {
	local output before kdir

	before=$(find "$stage")
	for kdir in /nowhere ''; do
		output=$(make -s uninstall DESTDIR="$stage" PREFIX=/usr KDIR=$kdir 2>&1) &&
			echo "uninstall with KDIR=$kdir succeeds"
		[[ $output == *"name its KDIR"* && $(find "$stage") == "$before" ]] ||
			echo "uninstall with KDIR=$kdir: $output"
	done
}

# A relative DESTDIR is one tree that all may read, whatever the umask is, and uninstall
# leaves nothing in it.
one_tree() {
	local stage=build/stage.$$ kernel file

	kernel=$("$scripts/kernel" stock) || return
	(umask 077 && in_stage install)
	find "$stage" ! -type l ! -perm -o=r -printf '%m %p\n'
	[ "$(stages)" = "./$stage" ] || { echo "DESTDIR=$stage is in"; stages; }
	for file in lib/modules/*/updates/kmod/twheel.ko lib/udev/rules.d/60-twheel.rules \
		usr/bin/twheel usr/lib/libtwheel.so usr/include/linux/twheel.h \
		usr/lib/pkgconfig/libtwheel.pc usr/share/man/man3/twheel_word_arm.3 \
		usr/lib/python3/dist-packages/twheel.py; do
		compgen -G "$stage/$file" >/dev/null || echo "install does not make $file"
	done
	uninstall_needs_kernel
	in_stage uninstall
	find "$stage" ! -type d -o -name '*twheel*' -o -name kmod
	stages | xargs rm -rf
}

# Names that a recipe would split, run or look for elsewhere are refused by both makefiles.
odd_settings() {
	local dir setting

	for dir in . userspace; do
		for setting in PREFIX=usr 'PREFIX=/p&q' 'PREFIX=/a|b' "PREFIX=/it's" 'PREFIX=/a b' \
			'DESTDIR=/a;b' 'DESTDIR=a"b' 'KDIR=/a*'; do
			[[ $(make -n -C $dir uninstall "$setting" 2>&1) == *settings.mk:*PREFIX* ]] ||
				echo "$dir takes $setting"
		done
	done
	[[ $(make -s module KDIR= 2>&1) == *"KDIR is empty"* ]] || echo "make module takes KDIR="
}

# idle DURATION STATUS: what the command makes of it.  With a log that is not there it
# would say so, had it gone on to the log, and then to the device.
idle() {
	local output status

	if [ "$2" = 0 ]; then
		"$build/userspace/twheel" replay --idle "$1" --help >/dev/null || echo "'$1' is refused"
		return
	fi
	output=$("$build/userspace/twheel" replay --idle "$1" /nowhere/log 2>&1)
	status=$?
	[[ $status -eq $2 && $output == "twheel: --idle: '$1' "* ]] ||
		echo "'$1' gave $status: $output"
}

long_delays() {
	idle 10000000000ms 0
	idle 116d 0
	idle 1e10ms 2
}

odd_durations() {
	local text

	for text in 18446744073709552s 1e300s 9223372036.854775808s inf nan -0.0 0x10 '' '5 s' 5m30; do
		idle "$text" 2
	done
	idle 9223372036.854775807s 0
}

# The independent count takes the same durations as the command.
counts_refuse() {
	local text log=$build/one-request.log

	printf '%s\n' second,client 0,a >"$log"
	for text in '' s ..s 1.2.3s 1.s -1s '1 s' 0x10 inf 0 0s 0.0d 0.3ns 0.0000000001s 106752d \
		99999999d 9223372036854775808ns; do
		"$scripts/demo.d/count-sessions" -- "$text" "$log" >/dev/null 2>&1 && echo "'$text' is taken"
	done
	printf '%s\n' second,client 0,a 0.25,a 0.5000001,a | "$scripts/demo.d/count-sessions" 250ms /dev/stdin |
		grep -qx '3 0 1' || echo "250ms is not taken"
}

# What is given to make reaches the demo as it is.
odd_names() {
	local name

	# shellcheck disable=SC2016 # they are names
	for name in 'a$b.log' 'a$$b.log' '$(x).log' "it's.log" 'a b,c.log'; do
		make -s -n demo LOG="$name" | sed 's#^scripts/demo#printf %s#' | sh | grep -qxF "LOG=$name" ||
			echo "LOG='$name' became: $(make -s -n demo LOG="$name")"
	done
}

# Without the module, benchmarks of the module name the device, once, and other programs
# work.
no_module() {
	local program output

	[ ! -e /dev/twheel ] || return 0
	output=$("$build/userspace/examples/hello" | sed 's/, .*//' | tr '\n' ' ')
	[ "$output" = "cancel: 0 timer 1 timer 3 " ] || echo "hello: $output"
	"$build/userspace/examples/test_orders" | grep -v '^ok' || true
	for program in 'twheel bench touch' 'twheel bench cycle'; do
		# shellcheck disable=SC2086 # they are words
		output=$("$build/userspace"/$program 2>&1)
		[[ $(wc -l <<<"$output") -eq 1 && $output == *"/dev/twheel: No such file"* ]] ||
			echo "$program: $output"
	done
}

# What runs a 32-bit program: nothing, or an emulator where the kernel does not.
runner_32() {
	local status=0

	/lib/ld-linux.so.2 --version >/dev/null 2>&1 || status=$?
	[ $status -eq 126 ] || return 0
	"$scripts/setup" emulate >&2 && echo qemu-i386
}

manual_pages() {
	local page

	for page in userspace/man/*.[137]; do
		[ -e "$page" ] || { echo "there are none"; return 1; }
		# man's own formatter, when it is there
		if command -v groff >/dev/null; then
			groff -man -Tutf8 -ww -rF0 "$page" >/dev/null || return
		fi
	done
}

unit_tests gcc "$build/userspace" check &&
	unit_tests "clang with sanitizers" "$build/userspace-san" check CC=clang \
		CXX=clang++ CFLAGS='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all' \
		LDFLAGS=-fsanitize=address,undefined
# As 32-bit programs: nothing may need libatomic, and time has 64 bits.  For the
# directory, see selftests/Makefile.
m32="-m32 -idirafter /usr/include/$(gcc -print-multiarch)"
run32=$(runner_32) || fail "no way to run 32-bit programs"
unit_tests "gcc -m32" "$build/userspace-32" check-units check-headers \
	CC="gcc $m32" CXX="g++ $m32" RUN="$run32"
unit_tests "clang -m32" "$build/userspace-clang-32" check-units check-headers \
	CC="clang $m32" CXX="clang++ $m32" RUN="$run32"
step "command line"
silent "the command takes a delay as it is, or refuses it (B02)" long_delays
silent "the command refuses what is no duration, and does nothing (B17)" odd_durations
silent "the independent count of a log refuses what is no duration" counts_refuse
silent "without the module, benchmarks name the device, once, and programs work" no_module
silent "each function of the header is a symbol for other languages, and nothing else is" \
	userspace/tests/check-symbols userspace/include/twheel.h "$build/userspace/libtwheel.so"
silent "make demo takes a log with an odd name" odd_names
step "installed library"
if command -v pkg-config >/dev/null && command -v g++ >/dev/null; then
	check "a program builds with the installed library, in C and C++" installed
else
	skip "a program builds with the installed library: no pkg-config or no g++"
fi
if [ "$(id -u)" -eq 0 ]; then
	silent "the loader's cache is renewed, but not for a stage" loader_cache
else
	skip "the loader's cache is renewed, but not for a stage: not root"
fi
silent "a relative DESTDIR is one tree, and uninstall leaves no file in it" one_tree
silent "make refuses odd names of directories" odd_settings
silent "the manual pages have no formatting errors" manual_pages
silent "twheel.1 has the formats of log-formats.toml" userspace/man/formats
