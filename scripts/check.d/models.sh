#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# models.sh [NAME-REGEX]: run the Promela models to completion.
#
# Runs that must hold have to search everything (no depth or memory limit reached)
# and reach every statement, so that nothing holds only because it never happens.
# Runs of a model with a deliberate mistake must find it: a check that cannot fail is
# worth nothing.  Needs 2 GB of memory for each of two runs at a time.
set -uo pipefail
# shellcheck source=scripts/check.d/lib.sh disable=SC1091
. "$(dirname "$0")/lib.sh"

out=$build/models

# NAME; MODEL; holds, live (the ltl property, with fair scheduling) or fails; MACROS
runs() {
	cat <<-END
	words: records, cancels, push-backs; words; holds;
	words: every arming ends; words; live; ACTIONS=2
	words: hostile writer; words; holds; HOSTILE
	words: finds a touch that stores; words; fails; BUG_TOUCH_STORES
	words: finds an expiry that stores; words; fails; BUG_STORE_INSTEAD_OF_EXCHANGE
	words: finds a timer not filed again; words; fails; BUG_NOT_FILED_AGAIN
	words: finds a lost race that is forgotten; words; fails; BUG_LOST_IS_LOST
	words: finds a period that begins before the record; words; fails; BUG_PERIODIC_TOO_SOON
	words: finds a cancel that does not look; words; fails; BUG_CANCEL_DOES_NOT_LOOK
	words: finds a FREE that leaves the word; words; fails; BUG_FREE_LEAVES_THE_WORD
	words: finds a reaping that stores; words; fails; BUG_REAPS_BY_STORE
	words: finds a reaping of what was armed again; words; fails; BUG_REAPS_WHAT_WAS_ARMED_AGAIN
	words: finds an arming that stores; words; fails; BUG_ARM_STORES
	words: finds an arming for an earlier time; words; fails; BUG_ARMS_EARLIER
	ring: wake-ups and records; ring; holds;
	ring: head is stored; ring; holds; HEAD_IS_STORED
	ring: finds barrier E missing; ring; fails; BUG_NO_E
	ring: finds barrier F missing; ring; fails; BUG_NO_F
	ring: finds barrier F missing, head is stored; ring; fails; HEAD_IS_STORED BUG_NO_F
	ring: finds a tail before its record; ring; fails; BUG_TAIL_FIRST
	ring: finds a head before the copy; ring; fails; BUG_HEAD_FIRST
	ring: finds a head without exchange; ring; fails; BUG_NO_EXCHANGE
	ring: finds a silent backlog; ring; fails; BUG_BACKLOG_IS_SILENT
	END
}

# verify DIR MODEL KIND MACRO...: in DIR; spin's report is in DIR/report.
verify() {
	local dir=$1 model=$2 kind=$3 compile run speed=-O2
	shift 3

	rm -rf "$dir"
	mkdir -p "$dir" && cd "$dir" || return
	compile=(-DSAFETY -DNOCLAIM)
	run=(-m200000 -w25)
	case $kind in
	live)	compile=(-DNFAIR=3); run+=(-a -f) ;;
	fails)	speed=-O0 ;;
	esac
	spin "${@/#/-D}" -a "$root/selftests/models/$model.pml" >report &&
		gcc "$speed" -w -DCOLLAPSE -DMEMLIM=3000 "${compile[@]}" -o pan pan.c &&
		timeout 900 ./pan "${run[@]}" >>report 2>&1
}

# What is unreached, but for the ends of processes that do not end and the claim.
unreached() {
	awk '/^unreached in/ { claim = /in claim/ }
	     /, state [0-9]+, "/ && !claim && !/"-end-"/' "$1"
}

# judge REPORT KIND: whether it is as it should be; says what is not.
judge() {
	local report=$1 kind=$2

	if grep -E 'Search not completed|max search depth too small|out of memory|MEMLIM|aborted' \
		"$report" | grep -v 'Search not completed' ||
	   ! grep -q 'errors: ' "$report"; then
		echo "the search was cut off"
		return 1
	fi
	if [ "$kind" = fails ]; then
		grep -Eq 'assertion violated|acceptance cycle|invalid end state' "$report" && return
		echo "the mistake was not found"
		return 1
	fi
	if ! grep -q 'errors: 0$' "$report" || grep -q 'Search not completed' "$report"; then
		grep -E '^pan:|errors:' "$report"
		return 1
	fi
	[ -z "$(unreached "$report")" ] || { echo "never reached:"; unreached "$report"; return 1; }
}

# one NAME MODEL KIND MACROS
one() {
	local name=$1 model=$2 kind=$3 macros dir states start=$SECONDS
	read -ra macros <<<"$4"
	dir=$out/$(tr -cs 'a-zA-Z\n' - <<<"$1")

	(verify "$dir" "$model" "$kind" "${macros[@]}")
	if ! judge "$dir/report" "$kind"; then
		sed 's/^/    /' "$dir/report" | grep -v 'Depth=' | head -n 30
		[ "$kind" = fails ] || echo "    the run: cd $dir && spin ${macros[*]/#/-D}" \
			"-k *.trail -p -g $root/selftests/models/$model.pml"
		fail "$name"
		return
	fi
	states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' "$dir/report")
	rm -f "$dir"/pan*
	pass "$name: $states states, $((SECONDS - start)) s"
}

export -f verify unreached judge one pass fail
export out root

step "spin: $(runs | grep -c .) runs"
# Two at a time; each says all it has to say at once.
# shellcheck disable=SC2016 # the inner shell's variables
runs | sed 's/; */;/g' | grep -E -- "${1-}" | xargs -d '\n' -P 2 -I {} bash -c '
	IFS=";" read -r name model kind macros <<<"$1"
	said=$(one "$name" "$model" "$kind" "$macros")
	printf "==> %s\n%s\n" "$name" "$said"' _ {}
echo "$(grep -h 'states, stored' "$out"/*/report | awk '{ n += $1 } END { print n }') states searched in all"
