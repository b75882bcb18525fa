# SPDX-License-Identifier: MIT OR GPL-2.0-only
"""AsyncQueue: sleepers and calls of an event loop."""
import asyncio
import os
from typing import Any, Callable

import pytest

from twheel import AsyncQueue, Clock, Engine

engines = [Engine.PROCESS] + [Engine.KERNEL] * os.path.exists("/dev/twheel")
on_each_engine = pytest.mark.parametrize("engine", engines)


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until it has seen what is readable, on a slow machine, too."""
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0.001)
    raise AssertionError("it does not come")


@on_each_engine
def test_sleep_is_never_early(engine: Engine) -> None:
    async def main() -> None:
        async with AsyncQueue(engine=engine) as queue:
            start = queue.time()
            assert await queue.sleep(0.02, "done") == "done"
            assert queue.time() >= start + 0.02
            assert await queue.sleep(0, 1) == await queue.sleep(-1, 1) == 1
            assert len(queue) == 0

    asyncio.run(main())


@on_each_engine
def test_ten_thousand_sleepers_all_wake(engine: Engine) -> None:
    async def main() -> None:
        async with AsyncQueue(engine=engine, ring_entries=64) as queue:
            delays = [i % 50 / 1000 for i in range(1, 10_001)]
            assert await asyncio.gather(*(queue.sleep(d, d) for d in delays)) == delays
            assert len(queue) == 0

    asyncio.run(main())


def test_half_an_hour_by_a_manual_clock() -> None:
    async def main() -> None:
        calls: list[str] = []
        async with AsyncQueue(clock=Clock.MANUAL) as queue:
            queue.call_later(1800, calls.append, "closed")
            paid = queue.call_at(1800, calls.append, "paid in time")
            queue.call_later(600, calls.append, "reminded")
            queue.queue.advance(1_799_999_999_999)
            await until(lambda: calls == ["reminded"])
            assert paid.pending() and paid.cancel() and paid.cancelled()
            assert not paid.cancel() and not paid.reschedule(1)
            queue.queue.advance(1)
            await until(lambda: len(queue) == 0)
            assert calls == ["reminded", "closed"] and queue.time() == 1800

    asyncio.run(main())


def test_a_call_is_held_back_even_when_its_record_is_written() -> None:
    async def main() -> None:
        calls: list[int] = []
        async with AsyncQueue(clock=Clock.MANUAL) as queue:
            handle = queue.call_later(1, calls.append, 1)
            moved = queue.call_later(1, calls.append, 2)
            queue.queue.advance(1_000_000_000)
            assert handle.cancel()
            assert moved.reschedule(5) and moved.when() == 6
            await until(lambda: queue.queue.stats().unread == 0)
            assert calls == [] and len(queue) == 1
            queue.queue.advance(5_000_000_000)
            await until(lambda: len(queue) == 0)
            assert calls == [2] and not moved.pending() and not moved.cancelled()

    asyncio.run(main())


def test_a_call_that_cancels_another_of_the_same_turn() -> None:
    async def main() -> None:
        calls: list[int] = []
        async with AsyncQueue(clock=Clock.MANUAL) as queue:
            queue.call_later(1, lambda: second.cancel())
            second = queue.call_later(2, calls.append, 2)
            queue.call_later(3, calls.append, 3)
            queue.queue.advance(3_000_000_000)
            await until(lambda: len(queue) == 0)
            assert calls == [3]

    asyncio.run(main())


def test_an_idle_timeout_is_pushed_back() -> None:
    async def main() -> None:
        calls: list[int] = []
        async with AsyncQueue(clock=Clock.MANUAL) as queue:
            idle = queue.call_later(30, calls.append, 0)
            for _ in range(100):
                queue.queue.advance(29_000_000_000)
                await asyncio.sleep(0)
                assert idle.reschedule(30)
            assert calls == []
            queue.queue.advance(30_000_000_000)
            await until(lambda: len(queue) == 0)
            assert calls == [0]

    asyncio.run(main())


def test_an_exception_goes_to_the_loop_and_others_are_called() -> None:
    async def main() -> None:
        seen: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: seen.append(context["exception"]))
        async with AsyncQueue(clock=Clock.MANUAL) as queue:
            queue.call_later(1, lambda: 1 / 0)
            queue.call_later(2, seen.append, "second")
            queue.queue.advance(2_000_000_000)
            await until(lambda: len(queue) == 0)
        assert isinstance(seen[0], ZeroDivisionError) and seen[1] == "second"

    asyncio.run(main())


def test_calls_survive_one_that_ends_the_loop() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    async def make() -> AsyncQueue:
        return AsyncQueue(clock=Clock.MANUAL)

    calls: list[int] = []
    loop = asyncio.new_event_loop()
    queue = loop.run_until_complete(make())
    queue.call_at(1, interrupted)
    for second in (2, 3):
        queue.call_at(second, calls.append, second)
    queue.queue.advance(3_000_000_000)
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(until(lambda: False))
    loop.run_until_complete(until(lambda: len(queue) == 0))
    assert calls == [2, 3]
    queue.close()
    loop.close()


def test_a_child_that_closes_leaves_the_parents_loop_alone() -> None:
    async def main() -> None:
        queue = AsyncQueue(engine=Engine.PROCESS)
        child = os.fork()
        if not child:
            queue.close()
            os._exit(0)
        os.waitpid(child, 0)
        assert await asyncio.wait_for(queue.sleep(0.01, "awake"), 60) == "awake"
        queue.close()

    asyncio.run(main())


def test_a_cancelled_sleeper_leaves_no_timer() -> None:
    async def main() -> None:
        async with AsyncQueue() as queue:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(queue.sleep(3600), 0.01)
            assert len(queue) == 0 and queue.queue.stats().pending == 0

    asyncio.run(main())


def test_close_ends_sleepers_and_calls() -> None:
    async def main() -> None:
        calls: list[int] = []
        queue = AsyncQueue()
        sleeper = asyncio.create_task(queue.sleep(3600))
        handle = queue.call_later(0, calls.append, 1)
        await asyncio.sleep(0)
        queue.call_later(0, queue.close)
        queue.close()
        queue.close()
        with pytest.raises(asyncio.CancelledError):
            await sleeper
        assert handle.cancelled() and calls == []

    asyncio.run(main())


@pytest.mark.parametrize("delay", [float("nan"), float("inf"), 1e10])
def test_delays_that_are_no_time(delay: float) -> None:
    async def main() -> None:
        async with AsyncQueue() as queue:
            with pytest.raises(ValueError):
                queue.call_later(delay, print)
            assert len(queue) == 0

    asyncio.run(main())
