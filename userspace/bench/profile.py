# SPDX-License-Identifier: GPL-2.0-only
"""profile.py TMP OUT: the tables of scripts/bench-profile.

TMP/counts has "address count" lines, TMP/symbols the guest's kallsyms, and
TMP/module.s the disassembly of the module.  Prints the functions by the number
of instructions that ran in them; writes OUT/profile.txt and OUT/profile.lst.
"""
import bisect
import collections
import re
import sys

USER_END = 1 << 47

idle_loop = set()


def read_counts(path):
    counts = collections.Counter()
    for line in open(path, encoding="ascii"):
        address, count = line.split()
        counts[int(address, 16)] += int(count)
    return counts


def read_symbols(path):
    symbols = {}
    for line in open(path, encoding="utf-8"):
        if line.startswith("{"):
            continue
        address, _, name = line.split(None, 2)
        symbols[int(address, 16)] = name.strip().replace("\t", " ")
    return sorted(symbols.items())


def function_of(symbols, starts, address):
    if address < USER_END:
        return ("idle thread" if address in idle_loop else "user program"), 0
    i = bisect.bisect_right(starts, address) - 1
    return (symbols[i][1], symbols[i][0]) if i >= 0 else ("?", 0)


def find_idle_loop(counts, figure):
    """The instructions of meter.c's idle thread, which an expiry is free of."""
    user = [address for address in counts if address < USER_END]
    if user and "expire" in figure:
        most = max(counts[address] for address in user)
        idle_loop.update(address for address in user if counts[address] > most * 0.99)


def print_functions(counts, symbols, starts):
    functions, calls = collections.Counter(), {}
    for address, count in counts.items():
        name, start = function_of(symbols, starts, address)
        functions[name] += count
        calls[name] = counts.get(start, 0)
    functions.pop("idle thread", None)
    total = sum(functions.values())
    print(f"{'instructions':>14} {'share':>6} {'entered':>10} {'each':>8}  function")
    for name, count in functions.most_common(60):
        each = f"{count / calls[name]:8.1f}" if calls[name] else " " * 8
        print(f"{count:14} {count / total:6.1%} {calls[name]:10} {each}  {name}")
    print(f"{total:14}  in all")


def write_listing(tmp, out, counts, symbols):
    """The module's disassembly with a count before each instruction."""
    where = {name.split()[0]: address for address, name in symbols if "[twheel]" in name}
    with open(f"{out}/profile.lst", "w", encoding="utf-8") as listing:
        base = None
        for line in open(f"{tmp}/module.s", encoding="utf-8", errors="replace"):
            head = re.match(r"([0-9a-f]+) <(\S+)>:", line)
            if head:
                name = head.group(2)
                base = where[name] - int(head.group(1), 16) if name in where else None
            insn = re.match(r" +([0-9a-f]+):", line)
            count = counts.get(base + int(insn.group(1), 16), 0) if base and insn else ""
            listing.write(f"{count or '':>10} {line}")


def main(tmp, out):
    counts = read_counts(f"{tmp}/counts")
    symbols = read_symbols(f"{tmp}/symbols")
    starts = [address for address, _ in symbols]
    find_idle_loop(counts, open(f"{tmp}/figure", encoding="ascii").read())
    with open(f"{out}/profile.txt", "w", encoding="ascii") as file:
        for address in sorted(counts):
            name, start = function_of(symbols, starts, address)
            file.write(f"{address:x} {counts[address]} {name}+{address - start:#x}\n")
    print_functions(counts, symbols, starts)
    write_listing(tmp, out, counts, symbols)


main(sys.argv[1], sys.argv[2])
