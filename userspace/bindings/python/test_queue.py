# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Queue: every function, on each engine that there is; exact counts by a manual clock."""
import copy
import ctypes
import errno
import os
import pathlib
import select
import signal
import subprocess
import threading
import time
from typing import Any, Callable, Iterator

import pytest

import twheel
from twheel import Answer, Clock, Engine, Queue, State, WordState

MS = 1_000_000
MINUTE = 60_000 * MS
FAR = 2**62

engines = [Engine.PROCESS] + [Engine.KERNEL] * os.path.exists("/dev/twheel")


@pytest.fixture(params=engines, ids=lambda engine: str(engine.name.lower()))
def queue(request: pytest.FixtureRequest) -> Iterator[Queue]:
    with Queue(engine=request.param, words=True, ring_entries=16) as queue:
        assert queue.engine is request.param and queue.device_error == 0
        yield queue


@pytest.fixture
def manual() -> Iterator[Queue]:
    with Queue(clock=Clock.MANUAL, words=True, ring_entries=16) as queue:
        yield queue


def taken(queue: Queue) -> list[int]:
    return [record.user_data for record in queue.consume()]


def wait_for(queue: Queue, count: int) -> list[twheel.Record]:
    records: list[twheel.Record] = []
    while len(records) < count:
        assert queue.wait(10_000 * MS) > 0
        records += queue.consume(count - len(records))
        now = queue.now()
        assert all(record.deadline <= now for record in records)
    return records


# --- the structs are those of the headers ---

bindings = pathlib.Path(__file__).resolve().parent
include = [bindings / "../../include", bindings / "../../../uapi"]


def offsets(name: str, struct: Any) -> Iterator[tuple[str, int]]:
    """C expressions and what they have to be."""
    yield f"sizeof(struct {name})", ctypes.sizeof(struct)
    for member, kind, *_ in struct._fields_:
        yield f"offsetof(struct {name}, {member})", getattr(struct, member).offset
        yield f"sizeof(((struct {name} *)0)->{member})", ctypes.sizeof(kind)


def members(prefix: str, numbers: Any) -> Iterator[tuple[str, int]]:
    for member in numbers:
        yield prefix + member.name, int(member)


def expressions() -> Iterator[tuple[str, int]]:
    for name, struct in (("twheel", twheel._Twheel), ("twheel_config", twheel._Config),
                         ("twheel_setup", twheel._Setup), ("twheel_op", twheel._Op),
                         ("twheel_record", twheel._Record), ("twheel_info", twheel._Info),
                         ("twheel_stats", twheel._Stats)):
        yield from offsets(name, struct)
    yield from members("TWHEEL_ENGINE_", Engine)
    yield from members("TWHEEL_", State)
    yield from members("TWHEEL_", Answer)
    yield from members("TWHEEL_WORD_", WordState)
    for clock in Clock:
        yield f"{'TWHEEL_' if clock is Clock.MANUAL else ''}CLOCK_{clock.name}", int(clock)
    for name in "ARM CANCEL MOVE QUERY FREE REL KEEP".split():
        variable = f"_OP_{name}" if name in ("REL", "KEEP") else f"_{name}"
        yield f"TWHEEL_OP_{name}", getattr(twheel, variable)
    yield "TWHEEL_SETUP_WORDS", twheel._SETUP_WORDS
    yield "TWHEEL_UNSHARED", twheel._UNSHARED
    yield "TWHEEL_LIST_END", twheel._LIST_END


@pytest.mark.skipif(not include[1].exists(), reason="the headers are not here")
def test_structs_and_constants_are_those_of_the_headers(tmp_path: pathlib.Path) -> None:
    lines = [f'_Static_assert({text} == {value}ULL, "{text}");' for text, value in expressions()]
    program = tmp_path / "abi.c"
    program.write_text("#define _GNU_SOURCE\n#include <stddef.h>\n#include <time.h>\n"
                       "#include <twheel.h>\n" + "\n".join(lines) + "\n")
    options = [f"-I{directory}" for directory in include]
    subprocess.run(["cc", "-fsyntax-only", *options, program], check=True)


# --- on each engine ---


def test_records_come_in_order_and_never_early(queue: Queue) -> None:
    start = queue.now()
    batch = queue.batch()   # one reading of the clock, however slow this machine is
    for delay in (3, 1, 2):
        batch.arm(delay * MS, user_data=delay, relative=True)
    batch.submit()
    records = wait_for(queue, 3)
    assert [record.user_data for record in records] == [1, 2, 3]
    assert all(r.deadline >= start + r.user_data * MS for r in records)


def test_cancel_is_exact(queue: Queue) -> None:
    timer = queue.arm(MINUTE, relative=True)
    assert queue.cancel(timer) is True
    assert queue.cancel(timer) is False
    assert queue.query(timer) is None
    fired = queue.arm(1, user_data=7)
    assert queue.wait(10_000 * MS) == 1
    assert queue.cancel(fired) is False
    assert taken(queue) == [7]


def test_move(queue: Queue) -> None:
    timer = queue.arm(MINUTE, relative=True, user_data=3)
    assert queue.move(timer, 1) is True
    assert wait_for(queue, 1)[0].deadline == 1
    with pytest.raises(FileNotFoundError):
        queue.move(timer, MINUTE)
    kept = queue.arm(1, keep=True)
    wait_for(queue, 1)
    assert queue.move(kept, MINUTE, relative=True) is False
    assert queue.free(kept) is True


def test_query_list_and_stats_agree(queue: Queue) -> None:
    ids = {queue.arm(FAR + i, user_data=i, slack=1024): i for i in range(1000)}
    assert {info.id: info.user_data for info in queue.list()} == ids
    timer = next(iter(ids))
    info = queue.query(timer)
    assert info is not None and info.state is State.PENDING
    assert (info.id, info.deadline, info.user_data) == (timer, FAR + ids[timer], ids[timer])
    stats = queue.stats()
    assert (stats.allocated, stats.pending, stats.armed) == (1000, 1000, 1000)
    assert sum(stats.level) == 1000 and len(stats.lateness) == 64 and stats.memory > 0


def test_a_batch_gives_each_op_its_result(queue: Queue) -> None:
    batch = queue.batch()
    for i in range(100):
        batch.arm(FAR, user_data=i)
    ids = batch.submit()
    assert len(set(ids)) == 100 and len(batch) == 0 and batch.submit() == []
    results = (batch.cancel(ids[0]).cancel(ids[0]).move(ids[1], 1).free(ids[2])
               .arm(2**64 - 1).submit())
    assert results == [0, -errno.ENOENT, 0, 1, -errno.EOVERFLOW]


def test_periodic_timers_count_what_they_missed(queue: Queue) -> None:
    timer = queue.arm(1 * MS, period=2 * MS, relative=True)
    records = wait_for(queue, 3)
    for before, record in zip(records, records[1:]):
        assert record.deadline - before.deadline == (record.missed + 1) * 2 * MS
    assert queue.cancel(timer)


def test_more_expire_than_the_ring_holds(queue: Queue) -> None:
    batch = queue.batch()
    for i in range(1000):
        batch.arm(1, user_data=i)
    batch.submit()
    assert sorted(record.user_data for record in wait_for(queue, 1000)) == list(range(1000))
    assert queue.wait(0) == 0


def test_words(queue: Queue) -> None:
    timer = queue.arm(MINUTE, relative=True, keep=True)
    later = queue.now() + 2 * MINUTE
    assert queue.word_state(timer) is WordState.ARMED
    assert queue.word_push(timer, later) is Answer.DONE
    assert queue.word_push(timer, 1) is Answer.USE_MOVE
    assert queue.word_cancel(timer) is Answer.DONE
    assert queue.word_cancel(timer) is Answer.TOO_LATE
    assert queue.word_state(timer) is WordState.CANCELLED
    assert queue.word_arm(timer, later - 4) is Answer.USE_MOVE
    assert queue.word_arm(timer, later) is Answer.DONE
    assert queue.word_arm(timer, later + 4) is Answer.USE_MOVE
    info = queue.query(timer)
    assert info is not None and later <= info.deadline < later + 4


def test_the_descriptor_is_readable_when_something_is_due(queue: Queue) -> None:
    poll = select.poll()
    poll.register(queue, select.POLLIN)
    assert poll.poll(0) == []
    queue.arm(1 * MS, relative=True, user_data=5)
    assert poll.poll(10_000) == [(queue.fileno(), select.POLLIN)]
    assert taken(queue) == [5]
    assert poll.poll(0) == []


def test_wait_runs_signal_handlers_and_goes_on(queue: Queue) -> None:
    seen = []
    before = signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    start = time.monotonic_ns()
    try:
        assert queue.wait(60 * MS) == 0
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [signal.SIGALRM] and time.monotonic_ns() - start >= 60 * MS


def test_waiting_lets_other_threads_run(queue: Queue) -> None:
    threading.Timer(0.02, lambda: queue.arm(1, user_data=9)).start()
    assert queue.wait(10_000 * MS) == 1
    assert taken(queue) == [9]


def test_a_childs_copy_of_the_processes_engine_is_dead() -> None:
    with Queue(engine=Engine.PROCESS) as queue:
        child = os.fork()
        if not child:
            try:
                queue.arm(1)
            except ChildProcessError:
                os._exit(0)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        queue.arm(1)


# --- bad input: a clear error, and nothing has changed ---


@pytest.mark.parametrize("call, error", [
    (lambda queue: queue.arm(-1), ValueError),
    (lambda queue: queue.arm(2**64), ValueError),
    (lambda queue: queue.arm(1.5), TypeError),
    (lambda queue: queue.arm("1"), TypeError),
    (lambda queue: queue.arm(1, user_data=-1), ValueError),
    (lambda queue: queue.arm(2**63), OSError),
    (lambda queue: queue.arm(1, period=1), OSError),
    (lambda queue: queue.batch().arm(1, slack=2**64), ValueError),
    (lambda queue: queue.cancel(2**64), ValueError),
    (lambda queue: queue.free(12345), FileNotFoundError),
    (lambda queue: queue.consume(-1), ValueError),
    (lambda queue: queue.wait(-1), ValueError),
    (lambda queue: queue.word_push(2**32 - 1, 1), ValueError),
    (lambda queue: queue.advance(1), OSError),
])
def test_bad_arguments(queue: Queue, call: Callable[[Any], object], error: type) -> None:
    with pytest.raises(error):
        call(queue)
    assert queue.stats().allocated == 0


@pytest.mark.parametrize("settings, error", [
    ({"clock": 2}, ValueError), ({"engine": 3}, ValueError),
    ({"ring_entries": 2**20 + 1}, OSError), ({"ring_entries": -1}, ValueError),
    ({"clock": Clock.MANUAL, "engine": Engine.KERNEL}, OSError),
])
def test_bad_settings(settings: dict[str, Any], error: type) -> None:
    with pytest.raises(error):
        Queue(**settings)


def test_a_closed_queue_says_so() -> None:
    queue = Queue()
    queue.close()
    queue.close()
    assert queue.closed
    calls: list[Callable[[], object]] = [queue.now, queue.fileno, queue.consume, queue.stats,
                                         lambda: queue.arm(1), queue.batch().arm(1).submit]
    for call in calls:
        with pytest.raises(ValueError, match="closed"):
            call()
    without = Queue()
    with pytest.raises(ValueError, match="without words"):
        without.word_state(1)


def test_a_queue_is_not_copied(manual: Queue) -> None:
    with pytest.raises(TypeError, match="copied"):
        copy.copy(manual)


def test_flags_are_true_or_false(manual: Queue) -> None:
    manual.advance(10)
    odd: Any = 2
    timer = manual.arm(10, relative=odd, keep=odd)
    info = manual.query(timer)
    assert info is not None and info.deadline == 20 and manual.word_state(timer)


@pytest.mark.skipif(os.path.exists("/dev/twheel"), reason="the module is loaded")
def test_the_reason_for_the_processes_engine_is_told() -> None:
    with Queue() as queue:
        assert queue.engine is Engine.PROCESS and queue.device_error == errno.ENOENT
    with pytest.raises(FileNotFoundError):
        Queue(engine=Engine.KERNEL)


# --- a manual clock: half an hour in no time, every figure exact ---


def test_a_manual_clock_stands_still(manual: Queue) -> None:
    order = manual.arm(30 * MINUTE, user_data=1)
    manual.advance(30 * MINUTE - 1)
    assert manual.consume() == [] and manual.now() == 30 * MINUTE - 1
    manual.advance(1)
    assert manual.consume() == [twheel.Record(1, order, 30 * MINUTE, 0, 0)]


def test_on_a_manual_clock_everything_on_the_way_comes_in_order(manual: Queue) -> None:
    for minute in (9, 3, 5, 1, 7):
        manual.arm(minute * MINUTE, user_data=minute)
    manual.arm(2 * MINUTE, period=2 * MINUTE, user_data=2)
    manual.advance(4 * MINUTE)
    assert [(r.user_data, r.deadline // MINUTE, r.missed) for r in manual.consume()] == [
        (1, 1, 0), (2, 2, 0), (3, 3, 0)]
    # The record of minute 2 was unread in minute 4, so that of 6 tells of it.
    manual.advance(5 * MINUTE)
    assert [(r.user_data, r.deadline // MINUTE, r.missed) for r in manual.consume()] == [
        (5, 5, 0), (2, 6, 1), (7, 7, 0), (9, 9, 0)]


def test_a_word_is_obeyed_to_the_nanosecond(manual: Queue) -> None:
    timer = manual.arm(MINUTE, keep=True)
    assert manual.word_push(timer, 2 * MINUTE) is Answer.DONE
    manual.advance(2 * MINUTE - 1)
    assert manual.consume() == []
    manual.advance(1)
    assert [record.deadline for record in manual.consume()] == [2 * MINUTE]
    assert manual.word_push(timer, 3 * MINUTE) is Answer.TOO_LATE
