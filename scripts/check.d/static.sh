#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# static.sh: all checks that run no code of ours.  One result for each checker and
# group of files.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

linux=$("$scripts/kernel" source) || exit

# --- checkpatch ------------------------------------------------------------------

# Messages that cannot apply anywhere:
#   FILE_PATH_CHANGES	is about patches that add files to the kernel
#   SPDX_LICENSE_TAG	wants one fixed form; the tags are checked below
#   EMBEDDED_FILENAME	reports the file name in a test's usage text
common=FILE_PATH_CHANGES,SPDX_LICENSE_TAG,EMBEDDED_FILENAME

# ... in the uapi header:
#   BIT_MACRO		user space has no BIT()
# ... in user space (library, command, selftests, host):
#   PREFER_KERNEL_TYPES, AVOID_EXTERNS, PREFER_DEFINED_ATTRIBUTE_MACRO, CONST_STRUCT,
#   CONSIDER_KSTRTO, SSCANF_TO_KSTRTO, STRLCPY, STRCPY, ENOSYS, VOLATILE, USE_FUNC,
#   ARRAY_SIZE		speak of things that only the kernel has
#   BIT_MACRO, PREFER_FALLTHROUGH
#   REPEATED_WORD	takes "enum times times" for prose
#   EMBEDDED_FUNCTION_NAME, SPLIT_STRING	speak of kernel messages; here they hit
#			usage texts
user=PREFER_KERNEL_TYPES,AVOID_EXTERNS,PREFER_DEFINED_ATTRIBUTE_MACRO,CONST_STRUCT
user+=,CONSIDER_KSTRTO,SSCANF_TO_KSTRTO,STRLCPY,STRCPY,ENOSYS,VOLATILE,USE_FUNC,ARRAY_SIZE
user+=,BIT_MACRO,PREFER_FALLTHROUGH,REPEATED_WORD,EMBEDDED_FUNCTION_NAME,SPLIT_STRING
# ... in the shim, which defines what the kernel has:
#   NEW_TYPEDEFS, DATA_RACE, MEMORY_BARRIER
shim=NEW_TYPEDEFS,DATA_RACE,MEMORY_BARRIER
# ... and with macros that are tests (kselftest's and our own):
#   MACRO_ARG_REUSE, MACRO_ARG_PRECEDENCE, MACRO_WITH_FLOW_CONTROL,
#   COMPLEX_MACRO, MULTISTATEMENT_MACRO_USE_DO_WHILE, TRAILING_SEMICOLON,
#   CAMELCASE		of TEST_F() and its like
#   BRACES		an EXPECT_EQ() is more than one statement
tests=MACRO_ARG_REUSE,MACRO_ARG_PRECEDENCE,MACRO_WITH_FLOW_CONTROL,COMPLEX_MACRO
tests+=,MULTISTATEMENT_MACRO_USE_DO_WHILE,TRAILING_SEMICOLON,CAMELCASE,BRACES
# ... in trace.h, which is one large macro, as the kernel's own documents demand:
trace=SPACING,PARENTHESIS_ALIGNMENT,OPEN_ENDED_LINE,MACRO_ARG_REUSE,COMPLEX_MACRO

# patch IGNORED FILE...
patch() {
	local ignored=$1
	shift

	# Its exit status is 1 for any remark.
	perl "$linux/scripts/checkpatch.pl" --strict --no-tree --no-summary --terse -q \
		--max-line-length=100 --ignore "$ignored" -f "$@"
}

without() {
	local leave=$1
	shift

	printf '%s\n' "$@" | grep -v "$leave"
}

checkpatch() {
	step "checkpatch"
	# shellcheck disable=SC2046 # file names have no spaces
	{
		silent "checkpatch: kmod" patch "$common" $(without /trace.h kmod/*.[ch])
		[ ! -e kmod/trace.h ] ||
			silent "checkpatch: kmod/trace.h" patch "$common,$trace" kmod/trace.h
		silent "checkpatch: uapi" patch "$common,BIT_MACRO" uapi/linux/*.h
		silent "checkpatch: selftests" patch "$common,$user,$tests" \
			selftests/{,common/,fuzz/,latency/,process/,process/fuzz/}*.[ch]
		silent "checkpatch: userspace" patch "$common,$user,$tests" \
			$(find userspace -name '*.[ch]' ! -path '*/shim/*' | sort)
		silent "checkpatch: userspace/shim" patch "$common,$user,$tests,$shim" \
			userspace/shim/linux/*.h
		silent "checkpatch: bench" patch "$common,$user,$tests" \
			bench/{common,guest,load}/*.[ch]
		silent "checkpatch: host" patch "$common,$user,$tests" selftests/host/*.[ch]
	}
}

# --- compilers --------------------------------------------------------------------

# warnings NAME KDIR: build with W=1 and sparse; their messages about our files fail.
warnings() {
	local name=$1 kdir=$2 copy=$build/static/$1 log=$build/static/$1.log

	rm -rf "$copy" && mkdir -p "$copy" && cp -r kmod uapi VERSION "$copy/"
	make -C "$kdir" M="$copy/kmod" W=1 C=2 CF=-D__CHECK_ENDIAN__ -j2 modules >"$log" 2>&1
	check "W=1 and sparse: the module builds for the $name kernel" built "$log" "$copy"
	silent "W=1: no warnings, $name kernel" said "$copy" \
		'^[^ ]*: (fatal )?(error|warning):.*\[-W|modpost|undefined!' "$log"
	silent "sparse: no warnings, $name kernel" said "$copy" \
		'^[^ ]*: (error|warning):[^[]*$' "$log"
}

built() {
	[ -e "$2/kmod/twheel.ko" ] || { grep -E 'error|No rule' "$1" | head -n 20; return 1; }
}

# said COPY REGEX LOG: the messages that match, with the names of our files.
said() {
	# Frames are larger with KASAN than what this limit is meant for.
	grep -E "$2" "$3" | grep -vE 'the compiler differs|Skipping BTF|BTF generation' |
		{ if [ "${1##*/}" = debug ]; then grep -v frame-larger-than; else cat; fi; } |
		grep -E "kmod/|uapi/" | sed "s#$1/##" | sort -u
	true
}

# foreign ARCH: compile for another machine; there is no kernel to link it with.
foreign() {
	local arch=$1 tree copy=$build/static/$1 log=$build/static/$1.log settings

	tree=$("$scripts/kernel" "prepared-$arch") || { fail "the tree for $arch"; return; }
	mapfile -t -d ' ' settings < <(tr -d '\n' <"$tree/settings")
	rm -rf "$copy" && mkdir -p "$copy" && cp -r kmod uapi VERSION "$copy/"
	make -C "$tree/build" M="$copy/kmod" "${settings[@]}" W=1 KBUILD_MODPOST_WARN=1 -j2 \
		modules >"$log" 2>&1
	check "W=1: the module compiles for $arch" built "$log" "$copy"
	silent "W=1: no warnings, $arch" said "$copy" '^[^ ]*: (fatal )?(error|warning):' "$log"
	silent "$arch: nothing that the kernel lacks there" lacking "$copy"
}

# lacking COPY: 64-bit divisions of the compiler's, exchanges of a size that is not there.
lacking() {
	nm -uA "$1"/kmod/twheel*.o | grep -E '__u?(div|mod)[a-z]*[0-9]$|_wrong_size|__bad_|__compiletime'
	true
}

# kernel NAME: the build directory of a kernel that is in the cache.
cached() {
	compgen -G "$(cache_dir)/$1-*/build" | tail -n 1
}

compilers() {
	local debug arch

	step "W=1 and sparse"
	warnings stock "$("$scripts/kernel" stock)/build"
	silent "layers: no circles between the files of the module" \
		"$scripts/check.d/layers" "$build/static/stock/kmod"
	# With KUnit; and it is there as soon as anybody has run a test in a guest.
	debug=$(cached debug)
	[ -z "$debug" ] || warnings debug "$debug"
	step "other machines"
	for arch in i386 arm64 s390; do
		foreign "$arch"
	done
	step "atomics"
	silent "clang -m32: 64-bit atomics work on what is aligned to 8" narrow_atomics
}

# Programs in which clang finds, as 32-bit ones, an atomic on a plain __u64. On i386
# it is aligned to 4, and such an exchange takes many times as long; see shared_u64.
# The compiler finds the headers of this machine's asm only for 64 bits.
narrow_atomics() {
	local asm

	asm=/usr/include/$(gcc -print-multiarch)
	printf '%s\0' selftests/{,fuzz/,latency/}*.c bench/{guest,load}/*.c |
		xargs -0 -P 2 -I @ clang -m32 -std=gnu11 -O0 -c -o /dev/null -D_GNU_SOURCE \
			-D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -Iuapi -Iuserspace/include \
			-idirafter "$asm" -isystem "$linux/tools/testing/selftests" \
			-Watomic-alignment -Walign-mismatch @
}

# --- documents ------------------------------------------------------------------------

kernel_doc() {
	perl "$linux/scripts/kernel-doc" -none -Werror "$@"
}

# The site; Sphinx sees what is in no index and where no reference leads.
site() {
	rm -rf "$build/docs/doctrees"	# a warning comes only when a page is read
	make -s docs
}

# Lines of documents that are longer than .editorconfig allows.
long_lines() {
	local file longest

	longest=$(sed -n 's/^max_line_length *= *//p' .editorconfig)
	for file in $(texts | grep -E '\.(rst|md)$|^[A-Z]+$'); do
		expand "$file" | LC_ALL=C.UTF-8 grep -nE "^.{$((longest + 1))}" |
			sed "s#^#$file:#; s#\(.\{60\}\).*#\1 ...#"
	done
	true
}

# Every test that security.rst names, as ``program: test``, exists.
named_tests() {
	local program test

	# shellcheck disable=SC2016 # the backquotes are those of rst
	grep -oE '``[a-z0-9_]+: [a-z0-9_]+``' Documentation/security.rst | tr -d '`' |
		while IFS=': ' read -r program test; do
			grep -qsE "^TEST(_F|_F_TIMEOUT)?\((.*, )?${test}[,)]" "selftests/$program.c" ||
				echo "Documentation/security.rst: there is no $program: $test"
		done
}

documents() {
	step "documents"
	silent "kernel-doc: kmod" kernel_doc kmod/*.[ch]
	silent "kernel-doc: uapi" kernel_doc uapi/linux/*.h
	silent "kernel-doc: userspace/include" kernel_doc userspace/include/*.h
	silent "sphinx: Documentation" site
	silent "performance.rst: its tables are those of bench/data/results.json" \
		bench/tables --check
	silent "documents: no line is longer than .editorconfig says" long_lines
	silent "security.rst: the tests that it names exist" named_tests
	silent "names: header, documents, manual pages, module parameters agree" "$scripts/check.d/names"
}

# --- text ----------------------------------------------------------------------------------

# The text files of the project.
texts() {
	find . \( -name .git -o -name build -o -path ./selftests/host/corpus -o -name __pycache__ \
		-o -name .pytest_cache -o -name .mypy_cache \) -prune -o -type f -print |
		sed 's#^\./##' | grep -v '^LICENSES/' | sort
}

shell_scripts() {
	local file

	for file in $(texts); do
		case $file in
		*.sh)	echo "$file" ;;
		*)	head -n 1 "$file" | grep -qE '^#!.*[/ ](ba|da)?sh$' && echo "$file" ;;
		esac
	done
}

lint_shell() {
	# shellcheck disable=SC2046 # file names have no spaces
	shellcheck -x $(shell_scripts)
}

# Every source file says what its licence is, in its first two or three lines.
no_licence() {
	local file

	for file in $(texts); do
		case $file in
		*.json)	;;	# has no comments
		*.[ch] | *.sh | *.pml | *.awk | *Makefile | *Kbuild | scripts/* | bench/* | selftests/run | .ci/run)
			head -n 3 "$file" | grep -q 'SPDX-License-Identifier: ' || echo "$file: no SPDX line" ;;
		esac
	done
}

licences() {
	local tag

	# Words of the tags that have no text in LICENSES.
	for tag in $(texts | xargs grep -h -m 1 '^[#/. *;\\"-]*SPDX-License-Identifier: ' |
		sed 's/.*Identifier: //; s#\*/##; s/[()]//g' |
		tr ' ' '\n' | grep -vxE 'OR|AND|WITH|' | sort -u); do
		grep -qsx "SPDX-Exception-Identifier: $tag\|Valid-License-Identifier: $tag" LICENSES/* ||
			echo "LICENSES has no text for $tag"
	done
}

white_space() {
	texts | xargs grep -nIE '[[:blank:]]+$'
	# The last line ends, and is not empty.
	texts | while read -r file; do
		[ -s "$file" ] || continue
		[ -z "$(tail -c 1 "$file")" ] || echo "$file: no newline at the end"
		[ -n "$(tail -n 1 "$file")" ] || echo "$file: an empty line at the end"
	done
	true
}

versions() {
	grep -n LINUX_VERSION_CODE kmod/*.[ch] | grep -v '^kmod/compat\.h:'
	true
}

spelling() {
	# "\tje" is an instruction in a string
	texts | xargs codespell -q 3 -L tje
}

text() {
	step "text"
	silent "shellcheck: all shell scripts" lint_shell
	silent "count-results: what counts as passed and as failed" "$scripts/check.d/count-results_test"
	silent "licences: each source file names its own" no_licence
	silent "licences: each has its text in LICENSES" licences
	silent "white space" white_space
	silent "LINUX_VERSION_CODE only in kmod/compat.h" versions
	if command -v codespell >/dev/null; then
		silent "codespell" spelling
	else
		skip "codespell: not installed"
	fi
}

checkpatch
compilers
documents
text
