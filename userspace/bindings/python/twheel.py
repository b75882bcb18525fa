# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""Timers by the hundred thousand: libtwheel for Python.

A Queue is a struct twheel: timers in a timing wheel, in the kernel where /dev/twheel can
be opened, otherwise in this process, by the same code.  Timers are armed, moved and
cancelled at a cost that does not depend on their number; expiries come as records.

    import twheel

    with twheel.Queue() as queue:
        queue.arm(1_000_000, user_data=42, relative=True)       # in 1 ms
        queue.wait()
        for record in queue.consume():
            print(record.user_data, record.lateness)

An AsyncQueue calls functions and wakes coroutines of an asyncio event loop instead:

    async with twheel.AsyncQueue() as queue:
        order = queue.call_later(1800, close_order, 4711)
        ...
        order.cancel()
        await queue.sleep(0.5)

Conventions:

- In a Queue, times are int nanoseconds on its clock, from 0 to 2**63 - 1.  In an
  AsyncQueue they are seconds, as everywhere in asyncio.
- An error of the library is an OSError with the errno that libtwheel(7) lists, often
  one of its subclasses: FileNotFoundError, PermissionError, ChildProcessError.  What
  cannot be handed over at all is a ValueError or a TypeError.  Nothing has
  changed then.
- Threads may share a Queue, unless it is unshared, except to close it.  Calls that wait
  let other threads run.
"""
from __future__ import annotations

import asyncio
import collections
import contextvars
import ctypes
import enum
import math
import os
import time
from types import TracebackType
from typing import Any, Callable, Iterator, NamedTuple, NoReturn, Optional, Sequence, Type

__all__ = ["Answer", "AsyncQueue", "Batch", "Clock", "Engine", "Handle", "Info", "Queue",
           "Record", "State", "Stats", "WordState"]

SECOND = 1_000_000_000
MAX_TIME = 2**63 - 1


class Clock(enum.IntEnum):
    """The clock of a queue."""

    REALTIME = 0
    MONOTONIC = 1
    BOOTTIME = 7
    TAI = 11
    MANUAL = 0x7477
    """For tests: begins at 0, stands still until advance(); the process's engine only."""


class Engine(enum.IntEnum):
    """What runs the timers of a queue."""

    ANY = 0
    """The kernel's if /dev/twheel can be opened, otherwise the process's."""
    KERNEL = 1
    PROCESS = 2


class State(enum.IntEnum):
    """The state of a timer, as query() and list() tell it."""

    PENDING = 0
    BACKLOG = 1
    """Due; its record waits for room in the ring."""
    IDLE = 2
    """Kept, and not armed."""


class Answer(enum.IntEnum):
    """The result of a step by the word."""

    DONE = 0
    TOO_LATE = 1
    """This arming has ended already."""
    USE_MOVE = 2
    """Only move() can do it."""


class WordState(enum.IntEnum):
    """The state of a timer, as its word tells it."""

    IDLE = 0
    ARMED = 1
    CANCELLED = 2
    FIRED = 3


class Record(NamedTuple):
    """One expiry."""

    user_data: int
    id: int
    deadline: int
    """ns, as it was asked for."""
    lateness: int
    """ns from deadline to expiry, at most 2**32 - 1."""
    missed: int
    """Periods before this one that got no record of their own."""


class Info(NamedTuple):
    """One timer, as query() and list() tell of it; times in ns."""

    id: int
    user_data: int
    deadline: int
    period: int
    slack: int
    state: State


# --- the structs of <twheel.h> and <linux/twheel.h>; the tests compare them ---


class _Setup(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("clockid", ctypes.c_uint32),
        ("ring_entries", ctypes.c_uint32), ("max_timers", ctypes.c_uint32),
        ("records_offset", ctypes.c_uint32), ("slack", ctypes.c_uint64),
        ("features", ctypes.c_uint64), ("min_period", ctypes.c_uint64),
        ("max_batch", ctypes.c_uint32), ("resv", ctypes.c_uint32),
        ("ring_offset", ctypes.c_uint64), ("ring_size", ctypes.c_uint64),
        ("ctl_offset", ctypes.c_uint64), ("ctl_size", ctypes.c_uint64),
        ("words_offset", ctypes.c_uint64), ("words_size", ctypes.c_uint64),
    ]


class _Twheel(ctypes.Structure):
    _fields_ = [
        ("ring", ctypes.c_void_p), ("records", ctypes.c_void_p), ("ctl", ctypes.c_void_p),
        ("words", ctypes.c_void_p), ("fd", ctypes.c_int), ("mask", ctypes.c_uint32),
        ("setup", _Setup), ("process", ctypes.c_void_p), ("device_error", ctypes.c_int),
        ("resv", ctypes.c_uint32 * 5),
    ]


class _Config(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("clockid", ctypes.c_int32),
        ("ring_entries", ctypes.c_uint32), ("max_timers", ctypes.c_uint32),
        ("engine", ctypes.c_uint32), ("slack", ctypes.c_uint64),
    ]


class _Op(ctypes.Structure):
    _fields_ = [
        ("opcode", ctypes.c_uint8), ("resv0", ctypes.c_uint8), ("flags", ctypes.c_uint16),
        ("result", ctypes.c_int32), ("id", ctypes.c_uint64), ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64), ("slack", ctypes.c_uint64),
        ("user_data", ctypes.c_uint64), ("resv", ctypes.c_uint64 * 2),
    ]


class _Record(ctypes.Structure):
    _fields_ = [
        ("user_data", ctypes.c_uint64), ("id", ctypes.c_uint64), ("deadline", ctypes.c_uint64),
        ("lateness", ctypes.c_uint32), ("missed", ctypes.c_uint32),
    ]


class _Info(ctypes.Structure):
    _fields_ = [
        ("id", ctypes.c_uint64), ("user_data", ctypes.c_uint64), ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64), ("slack", ctypes.c_uint64), ("state", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
    ]


_COUNTERS = ("now next allocated pending backlog unread armed moved cancelled expired missed "
             "pushed reaped refiled steps interrupts passes signals memory").split()


class _Stats(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32), ("flags", ctypes.c_uint32),
        *((name, ctypes.c_uint64) for name in _COUNTERS),
        ("level", ctypes.c_uint64 * 11), ("lateness", ctypes.c_uint64 * 64),
    ]


class Stats(NamedTuple):
    """The counters of a queue; <linux/twheel.h> explains them."""

    now: int
    next: int
    allocated: int
    pending: int
    backlog: int
    unread: int
    armed: int
    moved: int
    cancelled: int
    expired: int
    missed: int
    pushed: int
    reaped: int
    refiled: int
    steps: int
    interrupts: int
    passes: int
    signals: int
    memory: int
    level: Sequence[int]
    lateness: Sequence[int]


_ARM, _CANCEL, _MOVE, _QUERY, _FREE = range(1, 6)
_OP_REL, _OP_KEEP = 1, 2
_SETUP_WORDS, _UNSHARED = 1, 1 << 31
_LIST_END = 2**64 - 1
_ENOENT = -2
_EINTR = -4

# Function: (result, arguments).
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "twheel_open": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p]),
    "twheel_close": (None, [ctypes.c_void_p]),
    "twheel_now": (ctypes.c_uint64, [ctypes.c_void_p]),
    "twheel_advance": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint64]),
    "twheel_submit": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint]),
    "twheel_consume": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint]),
    "twheel_wait": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_int64]),
    "twheel_word_push": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]),
    "twheel_word_arm": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]),
    "twheel_word_cancel": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_uint64]),
    "twheel_word_state": (ctypes.c_uint, [ctypes.c_void_p, ctypes.c_uint64]),
    "twheel_stats": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p]),
    "twheel_list": (ctypes.c_int, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p,
                                   ctypes.c_uint]),
}


def _load() -> ctypes.CDLL:
    """The library: the file that TWHEEL_LIBRARY names, or what the loader finds."""
    library = ctypes.CDLL(os.environ.get("TWHEEL_LIBRARY") or "libtwheel.so.0")
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


_library = _load()


def _number(name: str, value: int, bits: int) -> int:
    """The value, which ctypes would cut to its bits without a word."""
    if not isinstance(value, int):
        raise TypeError(f"{name} is an int, not {type(value).__name__}")
    if not 0 <= value < 1 << bits:
        raise ValueError(f"{name} is from 0 to 2**{bits} - 1, not {value}")
    return value


def _flags(relative: bool, keep: bool = False) -> int:
    return (_OP_REL if relative else 0) | (_OP_KEEP if keep else 0)


def _op(opcode: int, **members: int) -> _Op:
    """An op, if its members are numbers that fit."""
    for name, value in members.items():
        _number(name, value, 64)
    return _Op(opcode, **members)


def _info(timer: Any, state: int) -> Info:
    """What an op of QUERY, or an entry of a listing, tells."""
    return Info(timer.id, timer.user_data, timer.deadline, timer.period, timer.slack,
                State(state))


def _checked(result: int) -> int:
    """A result of the library, if it is no error."""
    if result < 0:
        raise OSError(-result, os.strerror(-result))
    return result


class Batch:
    """Ops that one call runs, in the order in which they were added.

    Batch.submit() returns one result for each, as libtwheel has it: 0 or a positive
    number, or a negative errno; for an arm that succeeded, the timer's id.
    """

    def __init__(self, queue: Queue) -> None:
        self._queue = queue
        self._ops: list[_Op] = []

    def __len__(self) -> int:
        return len(self._ops)

    def _add(self, opcode: int, **members: int) -> Batch:
        self._ops.append(_op(opcode, **members))
        return self

    def arm(self, deadline: int, *, period: int = 0, user_data: int = 0, slack: int = 0,
            relative: bool = False, keep: bool = False) -> Batch:
        """Make a timer; see Queue.arm()."""
        return self._add(_ARM, flags=_flags(relative, keep), deadline=deadline, period=period,
                         slack=slack, user_data=user_data)

    def move(self, id: int, deadline: int, *, period: int = 0, slack: int = 0,
             relative: bool = False) -> Batch:
        """Give a timer a new deadline; see Queue.move()."""
        return self._add(_MOVE, flags=_flags(relative), id=id, deadline=deadline,
                         period=period, slack=slack)

    def cancel(self, id: int) -> Batch:
        """End an arming; see Queue.cancel()."""
        return self._add(_CANCEL, id=id)

    def free(self, id: int) -> Batch:
        """Release a kept timer; see Queue.free()."""
        return self._add(_FREE, id=id)

    def submit(self) -> list[int]:
        """Run the ops, and forget them."""
        ops = (_Op * len(self._ops))(*self._ops)
        self._queue._submit(ops)
        self._ops.clear()
        return [op.id if op.opcode == _ARM and op.result == 0 else op.result for op in ops]


class Queue:
    """Timers with their own clock and ring of records.

    clock: which; engine: what runs the timers, ANY also asks the environment variable
    TWHEEL_ENGINE; words: whether kept timers have words; ring_entries: records that the
    ring holds, 1 to 2**20; max_timers: at a time, 0 for the engine's limit; slack: ns that
    a timer may be late if it says nothing else; unshared: one thread at a time
    uses the queue, so the process's engine needs no lock.

    Raises OSError as twheel_open(3): with Engine.KERNEL, FileNotFoundError if the module
    is not loaded and PermissionError if this user may not use it.
    """

    def __init__(self, *, clock: Clock = Clock.MONOTONIC, engine: Engine = Engine.ANY,
                 words: bool = False, ring_entries: int = 4096, max_timers: int = 0,
                 slack: int = 0, unshared: bool = False) -> None:
        config = _Config(size=ctypes.sizeof(_Config),
                         flags=(_SETUP_WORDS if words else 0) | (_UNSHARED if unshared else 0),
                         clockid=Clock(clock), engine=Engine(engine),
                         ring_entries=_number("ring_entries", ring_entries, 32),
                         max_timers=_number("max_timers", max_timers, 32),
                         slack=_number("slack", slack, 64))
        self._tw: Optional[_Twheel] = None
        tw = _Twheel()
        _checked(_library.twheel_open(ctypes.byref(tw), ctypes.byref(config)))
        self._tw = tw

    # --- the queue itself ---

    @property
    def _at(self) -> Any:
        """The struct, for a call."""
        return ctypes.byref(self._struct())

    def close(self) -> None:
        """Close the queue, once or more often; its timers end without a record."""
        if self._tw is not None:
            _library.twheel_close(ctypes.byref(self._tw))
            self._tw = None

    def __enter__(self) -> Queue:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        # Not there if __init__() failed early.
        if getattr(self, "_tw", None) is not None:
            self.close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Queue cannot be copied or pickled")

    @property
    def closed(self) -> bool:
        """Whether close() was called."""
        return self._tw is None

    def fileno(self) -> int:
        """The descriptor, readable when there may be records: for select and the like."""
        return int(self._struct().fd)

    def _struct(self) -> _Twheel:
        """The struct; nothing may use a queue that is closed."""
        if self._tw is None:
            raise ValueError("the queue is closed")
        return self._tw

    @property
    def engine(self) -> Engine:
        """What runs the timers: KERNEL or PROCESS."""
        return Engine.PROCESS if self._struct().process else Engine.KERNEL

    @property
    def device_error(self) -> int:
        """The errno for which the device was not taken, 0 if nobody tried."""
        return -int(self._struct().device_error)

    @property
    def clock(self) -> Clock:
        """The clock of the queue."""
        return Clock(self._struct().setup.clockid)

    def now(self) -> int:
        """The time of the queue's clock, in ns."""
        return int(_library.twheel_now(self._at))

    def advance(self, ns: int) -> None:
        """Let time pass on a manual clock; whatever is due on the way expires, in order."""
        _checked(_library.twheel_advance(self._at, _number("ns", ns, 64)))

    # --- timers ---

    def _submit(self, ops: Any) -> None:
        """Run an array of ops, all of them."""
        if len(ops):
            _checked(_library.twheel_submit(self._at, ops, len(ops)))

    def _run(self, opcode: int, **members: int) -> _Op:
        """Run one op."""
        op = _op(opcode, **members)
        _checked(_library.twheel_submit(self._at, ctypes.byref(op), 1))
        return op

    def batch(self) -> Batch:
        """An empty batch: many ops for one call, one system call with the kernel's engine."""
        return Batch(self)

    def arm(self, deadline: int, *, period: int = 0, user_data: int = 0, slack: int = 0,
            relative: bool = False, keep: bool = False) -> int:
        """Make a timer and arm it.

        deadline: ns on the queue's clock, or from now if relative; period: ns between
        further expiries, 0 for one only; user_data: a number of 64 bits that comes back in
        the records; slack: ns that it may be late, 1 for exact, 0 for the queue's
        default; keep: the timer stays after its end, until free().

        Returns its id.  Raises OSError: ENOSPC, the queue has as many timers as it may
        have; EINVAL, the period is shorter than the queue allows; EOVERFLOW; ENOMEM.
        """
        op = self._run(_ARM, flags=_flags(relative, keep), deadline=deadline, period=period,
                       slack=slack, user_data=user_data)
        _checked(op.result)
        return int(op.id)

    def move(self, id: int, deadline: int, *, period: int = 0, slack: int = 0,
             relative: bool = False) -> bool:
        """Give a timer a new deadline, earlier or later, and period.

        Returns True if it was pending, so that no record of the old arming comes; False if
        it was a kept timer that was not, and is armed again.  Raises FileNotFoundError
        (ENOENT) if there is no such timer any more: its record is written.
        """
        op = self._run(_MOVE, flags=_flags(relative), id=id, deadline=deadline,
                       period=period, slack=slack)
        return _checked(op.result) == 0

    def cancel(self, id: int) -> bool:
        """End the arming of a timer.

        Returns True if it was pending: no record of it will come.  False if it was not:
        its record has been written, or it was cancelled before.
        """
        result = int(self._run(_CANCEL, id=id).result)
        if result == _ENOENT:
            return False
        _checked(result)
        return True

    def free(self, id: int) -> bool:
        """Release a kept timer.  Returns whether it was pending until now."""
        return _checked(self._run(_FREE, id=id).result) == 1

    def query(self, id: int) -> Optional[Info]:
        """What the queue knows of a timer; None if there is no such timer."""
        op = self._run(_QUERY, id=id)
        if op.result == _ENOENT:
            return None
        return _info(op, _checked(op.result))

    # --- records ---

    def wait(self, timeout: Optional[int] = None) -> int:
        """Sleep until there are records, at most timeout ns; None is for ever.

        Returns how many there are, 0 when the time has passed.  A signal's handler runs
        meanwhile; if it raises nothing, the waiting goes on.
        """
        end = None if timeout is None else time.monotonic_ns() + _number("timeout", timeout, 63)
        while True:
            left = -1 if end is None else max(end - time.monotonic_ns(), 0)
            result = int(_library.twheel_wait(self._at, left))
            if result != _EINTR:
                return _checked(result)

    def consume(self, count: int = 256) -> list[Record]:
        """Take up to count records, at most 2**21 - 1, without waiting."""
        records = (_Record * _number("count", count, 21))()
        taken = _checked(_library.twheel_consume(self._at, records, count))
        return [Record(r.user_data, r.id, r.deadline, r.lateness, r.missed)
                for r in records[:taken]]

    # --- words: kept timers of a queue with words ---
    #
    # As in C, nobody checks that the timer exists: the id of one that was freed may name
    # the timer that has taken its place, and one that never was may end the program.

    def _kept(self, id: int) -> int:
        """The id, if its index is one of this queue's: the library does not look."""
        if not self._struct().words:
            raise ValueError("the queue was opened without words")
        if _number("id", id, 64) & 0xffffffff >= self._struct().setup.max_timers:
            raise ValueError(f"{id} is not the id of a timer of this queue")
        return id

    def word_push(self, id: int, deadline: int) -> Answer:
        """Push a pending timer back, without a system call; see twheel_word(3)."""
        return Answer(_library.twheel_word_push(self._at, self._kept(id),
                                                _number("deadline", deadline, 63)))

    def word_cancel(self, id: int) -> Answer:
        """Cancel a pending timer, without a system call."""
        return Answer(_library.twheel_word_cancel(self._at, self._kept(id)))

    def word_arm(self, id: int, deadline: int) -> Answer:
        """Arm a timer again that word_cancel() has cancelled, for the same time or later."""
        return Answer(_library.twheel_word_arm(self._at, self._kept(id),
                                               _number("deadline", deadline, 63)))

    def word_state(self, id: int) -> WordState:
        """The state of a timer according to its word."""
        return WordState(_library.twheel_word_state(self._at, self._kept(id)))

    # --- inspecting ---

    def stats(self) -> Stats:
        """Read the counters."""
        stats = _Stats()
        _checked(_library.twheel_stats(self._at, ctypes.byref(stats)))
        members = {name: getattr(stats, name) for name in _COUNTERS}
        return Stats(**members, level=tuple(stats.level), lateness=tuple(stats.lateness))

    def list(self) -> Iterator[Info]:
        """All timers.  One that exists throughout the listing is listed once."""
        cursor = ctypes.c_uint64(0)
        infos = (_Info * 256)()
        while cursor.value != _LIST_END:
            count = _checked(_library.twheel_list(self._at, ctypes.byref(cursor), infos,
                                                  len(infos)))
            for info in infos[:count]:
                yield _info(info, info.state)


# --- asyncio ---


def _ns(seconds: float) -> int:
    """Seconds as ns, rounded up: never early.  The past is now."""
    if not seconds < MAX_TIME / SECOND:
        raise ValueError(f"{seconds} s is no time up to 2**63 - 1 ns")
    return math.ceil(max(seconds, 0) * SECOND)


class Handle:
    """A call that AsyncQueue.call_later() has scheduled."""

    def __init__(self, queue: AsyncQueue, callback: Callable[..., object],
                 args: tuple[Any, ...], context: Optional[contextvars.Context]) -> None:
        self._owner = queue
        self._when = 0
        self._callback = callback
        self._args = args
        self._context = context or contextvars.copy_context()
        self._id: Optional[int] = None
        self._cancelled = False

    def when(self) -> float:
        """The time of the call, in seconds on the queue's clock."""
        return self._when / SECOND

    def pending(self) -> bool:
        """Whether the call is still to come."""
        return self._id is not None

    def cancelled(self) -> bool:
        """Whether cancel() has held the call back."""
        return self._cancelled

    def cancel(self) -> bool:
        """Hold the call back.  Returns whether it was still to come."""
        if self._id is None:
            return False
        self._owner._forget(self)
        self._cancelled = True
        return True

    def reschedule(self, delay: float) -> bool:
        """Push the call back, or bring it forward: it comes delay seconds from now.

        Returns whether it was still to come; only then something has changed.
        """
        if self._id is None:
            return False
        self._owner._move(self, _ns(delay))
        return True

    def _run(self) -> None:
        self._id = None
        try:
            self._context.run(self._callback, *self._args)
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            self._owner._loop.call_exception_handler(
                {"message": f"Exception in {self._callback!r}", "exception": error})


class AsyncQueue:
    """A queue whose expiries wake coroutines and call functions of an event loop.

    To be made in a coroutine; it serves that loop until close().  All settings of Queue
    can be given; the ring is read by the loop, so do not consume() from self.queue.

    Callbacks come in the order of their times, with the queue's slack applied; those of
    the same time in any order.  At most some hundred come per turn of the loop.  One that
    raises is reported to the loop's exception handler.

    What arms a timer raises OSError as Queue.arm(): ENOSPC, ENOMEM, EOVERFLOW; and
    ValueError if the time is no number or centuries away.
    """

    _TURN = 256  # records per turn of the loop

    def __init__(self, **settings: Any) -> None:
        self._loop = asyncio.get_running_loop()
        self._handles: dict[int, Handle] = {}
        self._sleepers: set[asyncio.Future[Any]] = set()
        self._due: collections.deque[int] = collections.deque()
        self._pid = os.getpid()
        self.queue = Queue(**settings)
        self._fd = self.queue.fileno()
        self._loop.add_reader(self._fd, self._serve)

    def close(self) -> None:
        """End all calls that are still to come, without calling.  Sleepers are cancelled."""
        if self.queue.closed:
            return
        # A child shares its parent's epoll, where it must not change anything.
        if not self._loop.is_closed() and self._pid == os.getpid():
            self._loop.remove_reader(self._fd)
        self.queue.close()
        handles, self._handles = self._handles, {}
        for handle in handles.values():
            handle._id = None
            handle._cancelled = True
        for future in self._sleepers:
            future.cancel()

    async def __aenter__(self) -> AsyncQueue:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]],
                        error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        self.close()

    def time(self) -> float:
        """The time of the queue's clock, in seconds."""
        return self.queue.now() / SECOND

    def __len__(self) -> int:
        """How many calls are to come."""
        return len(self._handles)

    def call_at(self, when: float, callback: Callable[..., object], *args: Any,
                context: Optional[contextvars.Context] = None) -> Handle:
        """Call callback(*args) when the queue's clock shows when seconds, or later."""
        return self._schedule(_ns(when), Handle(self, callback, args, context))

    def call_later(self, delay: float, callback: Callable[..., object], *args: Any,
                   context: Optional[contextvars.Context] = None) -> Handle:
        """Call callback(*args) in delay seconds."""
        return self._schedule(self.queue.now() + _ns(delay),
                              Handle(self, callback, args, context))

    async def sleep(self, delay: float, result: Any = None) -> Any:
        """Sleep for delay seconds; what is not positive gives others a turn."""
        if delay <= 0:
            await asyncio.sleep(0)
            return result
        future: asyncio.Future[Any] = self._loop.create_future()
        handle = self.call_later(delay, _wake, future, result)
        self._sleepers.add(future)
        try:
            return await future
        finally:
            self._sleepers.discard(future)
            handle.cancel()

    def _schedule(self, when: int, handle: Handle) -> Handle:
        handle._id = self.queue.arm(when)
        handle._when = when
        self._handles[handle._id] = handle
        return handle

    def _forget(self, handle: Handle) -> None:
        """The record of a handle that is not in the table, if it comes, calls nobody."""
        assert handle._id is not None
        del self._handles[handle._id]
        try:
            self.queue.cancel(handle._id)
        finally:
            handle._id = None

    def _move(self, handle: Handle, delay: int) -> None:
        """Its record may be in the ring, unseen; then it gets another timer."""
        assert handle._id is not None
        when = self.queue.now() + delay
        try:
            self.queue.move(handle._id, when)
            handle._when = when
        except FileNotFoundError:
            before = handle._id
            self._schedule(when, handle)
            del self._handles[before]

    def _serve(self) -> None:
        self._due.extend(record.id for record in self.queue.consume(self._TURN))
        self._call_due()

    def _call_due(self) -> None:
        """Call until one ends the loop, by KeyboardInterrupt or the like; then go on later."""
        try:
            while self._due and not self.queue.closed:
                handle = self._handles.pop(self._due.popleft(), None)
                if handle is not None:
                    handle._run()
        finally:
            if self._due and not self.queue.closed:
                self._loop.call_soon(self._call_due)


def _wake(future: asyncio.Future[Any], result: Any) -> None:
    if not future.done():
        future.set_result(result)
