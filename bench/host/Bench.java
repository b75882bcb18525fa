// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Java's peers, with the workloads and random numbers of driver.h.
 *
 *	java Bench netty|stpe|delayqueue n [ops]	prints JSON lines, as driver.h says
 *
 * Results are CPU time of the calling thread and of the peer's own, without
 * garbage collection and compiler, so they flatter; NAME_caller is the calling
 * thread's alone.  Everything is done with few timers first, to be compiled.
 *
 * Netty's wheel and the pool read System.nanoTime(): for expiry the 600 s are
 * squeezed into real time, 3 us for each timer, and their thread's time is
 * measured.  Nobody can call their steps, so the longest is not known.  Netty's
 * wheel takes 100,000 new timers per tick, its ticks are 10 ms here, and 1 ms
 * for expiry.  DelayQueue asks its elements what time it is, so its clock is
 * virtual; it removes by looking at all elements.  What takes longer than
 * LIMIT is cut short.
 */
import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

public final class Bench {
	static final long SECOND = 1000000000L, USEC = 1000L;
	static final long SHORTEST = 60 * SECOND, SPREAD_US = 600000000L;
	static final long LIMIT = 3 * SECOND, PER_TIMER = 3 * USEC;
	static final int OPS = 1000000;
	static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	static final AtomicInteger fired = new AtomicInteger();
	static long rng, now;
	static boolean quiet;

	/* Times are delays in ns from now. */
	interface Peer {
		void start(int n, long tickMs);
		void stop() throws Exception;
		void arm(int i, long delay);
		void cancel(int i);
		void settle(int n) throws Exception;
		Thread thread();
	}

	static final class Netty implements Peer {
		private HashedWheelTimer timer;
		private Timeout[] timeouts;
		private Thread worker;
		private final TimerTask task = t -> fired.lazySet(fired.get() + 1);

		public void start(int n, long tickMs) {
			timer = new HashedWheelTimer(r -> worker = new Thread(r, "wheel"), tickMs,
						     TimeUnit.MILLISECONDS, 512, false);
			timeouts = new Timeout[n];
			timer.start();
		}

		public void stop() {
			timer.stop();
			timeouts = null;
		}

		public void arm(int i, long delay) {
			timeouts[i] = timer.newTimeout(task, delay, TimeUnit.NANOSECONDS);
		}

		public void cancel(int i) {
			timeouts[i].cancel();
		}

		/* Until the worker has filed what is new and dropped what is cancelled. */
		public void settle(int n) throws Exception {
			Thread.sleep(10L * (n / 100000 + 3));
		}

		public Thread thread() {
			return worker;
		}
	}

	static final class Pool implements Peer {
		private ScheduledThreadPoolExecutor pool;
		private ScheduledFuture<?>[] futures;
		private Thread worker;
		private final Runnable task = () -> fired.lazySet(fired.get() + 1);

		public void start(int n, long tickMs) {
			pool = new ScheduledThreadPoolExecutor(1, r -> worker = new Thread(r, "pool"));
			pool.setRemoveOnCancelPolicy(true);
			pool.prestartAllCoreThreads();
			futures = new ScheduledFuture<?>[n];
		}

		public void stop() {
			pool.shutdownNow();
			futures = null;
		}

		public void arm(int i, long delay) {
			futures[i] = pool.schedule(task, delay, TimeUnit.NANOSECONDS);
		}

		public void cancel(int i) {
			futures[i].cancel(false);
		}

		public void settle(int n) {
		}

		public Thread thread() {
			return worker;
		}
	}

	static final class Queue implements Peer {
		static final class Item implements Delayed {
			final long expires;

			Item(long expires) {
				this.expires = expires;
			}

			public long getDelay(TimeUnit unit) {
				return unit.convert(expires - now, TimeUnit.NANOSECONDS);
			}

			public int compareTo(Delayed other) {
				return Long.compare(expires, ((Item)other).expires);
			}
		}

		private DelayQueue<Item> queue;
		private Item[] items;

		public void start(int n, long tickMs) {
			queue = new DelayQueue<>();
			items = new Item[n];
		}

		public void stop() {
			queue = null;
			items = null;
		}

		public void arm(int i, long delay) {
			items[i] = new Item(now + delay);
			queue.add(items[i]);
		}

		public void cancel(int i) {
			queue.remove(items[i]);
		}

		public void settle(int n) {
		}

		public Thread thread() {
			return null;
		}

		void step() {
			while (queue.poll() != null)
				fired.lazySet(fired.get() + 1);
		}
	}

	private final Peer peer;
	private final String name;
	private long caller, own;	/* at the begin of what is measured */

	Bench(String name) {
		this.name = name;
		peer = name.equals("netty") ? new Netty() :
		       name.equals("stpe") ? new Pool() : new Queue();
	}

	static long random() {
		long x = rng += 0x9e3779b97f4a7c15L;

		x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9L;
		x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
		return x ^ x >>> 31;
	}

	static int which(long r, int n) {
		return (int)((r & 0xffffffffL) * n >>> 32);
	}

	static long duration(long r) {
		return SHORTEST + ((r >>> 32) * SPREAD_US >>> 32) * USEC;
	}

	static int[] shuffled(int n) {
		int[] order = new int[n];

		for (int i = 0; i < n; i++) {
			int j = which(random(), i + 1);

			order[i] = order[j];
			order[j] = i;
		}
		return order;
	}

	private long threadTime() {
		Thread t = peer.thread();

		return t == null ? 0 : Math.max(THREADS.getThreadCpuTime(t.getId()), 0);
	}

	private void mark() {
		own = threadTime();
		caller = THREADS.getCurrentThreadCpuTime();
	}

	private long callerTime() {
		return THREADS.getCurrentThreadCpuTime() - caller;
	}

	private boolean tooLong(int i) {
		return i % 64 == 63 && callerTime() > LIMIT;
	}

	private void report(String what, double value, int n) {
		if (!quiet)
			System.out.printf("{\"name\": \"host.%s\", \"value\": %.1f, \"unit\": \"ns\", " +
					  "\"n\": %d, \"peer\": \"%s\"}%n", what, value, n, name);
	}

	/* What was done since mark(), per operation. */
	private void finish(String what, long count, int n) throws Exception {
		long mine = callerTime();

		peer.settle(n);
		report(what, (double)(mine + threadTime() - own) / count, n);
		report(what + "_caller", (double)mine / count, n);
	}

	interface When {
		long delay(int i, long r);
	}

	private void move(String what, int n, When when) throws Exception {
		int count = n < OPS ? OPS : n + n / 8, i;

		mark();
		for (i = 0; i < count && !tooLong(i); i++) {
			long r = random();
			int t = which(r, n);

			peer.cancel(t);
			peer.arm(t, when.delay(t, r));
			now += USEC;
		}
		finish(what, i, n);
	}

	private long armAll(int n) {
		long start = callerTime();

		for (int i = 0; i < n; i++) {
			peer.arm(i, duration(random()));
			now += USEC;
		}
		return callerTime() - start;
	}

	/* Per timer. */
	private double cancelAll(int[] order) {
		long start = callerTime();
		int i = 0;

		while (i < order.length && callerTime() - start < LIMIT)
			for (int end = Math.min(order.length, i + 1000); i < end; i++)
				peer.cancel(order[i]);
		return (double)(callerTime() - start) / i;
	}

	private void operations(int n) throws Exception {
		int passes = n < OPS / 4 ? OPS / 4 / n : 1;
		double arm = 0, cancel = 0, rest;

		peer.start(n, 10);
		int[] order = shuffled(n);
		mark();
		for (int i = 0; i < passes; i++) {
			arm += (double)armAll(n) / n;
			if (i == passes - 1)
				peer.settle(n);
			else
				cancel += cancelAll(order);
		}
		rest = (double)(threadTime() - own) / n;
		move("push_back", n, (t, r) -> duration(t * 0x9e3779b97f4a7c15L));
		move("move", n, (t, r) -> duration(r));
		mark();
		cancel += cancelAll(order);
		peer.settle(n);
		rest += (double)(threadTime() - own) / n;
		report("arm", arm / passes, n);
		report("cancel", cancel / passes, n);
		report("arm_cancel", (arm + cancel + rest) / passes, n);
		report("arm_cancel_caller", (arm + cancel) / passes, n);
		peer.stop();
	}

	/* All that is armed: in the queue's virtual time, or in real time. */
	private void drain(String what, int n, long end) throws Exception {
		if (peer instanceof Queue) {
			int steps = n < 1000 ? 100 : n > 1000000 ? 100000 : n / 10;
			long start = now;

			mark();
			for (int i = 1; i <= steps; i++) {
				now = start + (end - start) / steps * i;
				((Queue)peer).step();
			}
			now = end + 5000 * USEC;
			((Queue)peer).step();
			report(what, (double)callerTime() / n, n);
		} else {
			own = threadTime();
			while (fired.get() < n)
				Thread.sleep(10);
			report(what, (double)(threadTime() - own) / n, n);
		}
		if (fired.get() != n)
			throw new IllegalStateException(what + ": " + fired.get() + " of " + n);
		peer.stop();
	}

	/* Delays of a virtual duration of 0 to @span in the time that a peer sees. */
	private long squeezed(long duration, long span, long start, int n) {
		if (peer instanceof Queue)
			return SHORTEST + duration;
		return start + (long)((double)duration / span * n * PER_TIMER) - System.nanoTime();
	}

	private void expiry(String what, int n, boolean burst) throws Exception {
		long span = SPREAD_US * USEC;

		fired.set(0);
		peer.start(n, 1);
		int[] order = shuffled(n);
		/* Arming must be over when the first is due, or the worker is measured idle. */
		long start = System.nanoTime() + n * 2 * USEC + SECOND / 5;
		for (int i : order)
			peer.arm(i, squeezed(burst ? span / 10 : duration(random()) - SHORTEST, span,
					     start, n));
		drain(what, n, now + SHORTEST + span);
	}

	private void fifo(int n) throws Exception {
		peer.start(n, 10);
		for (int i = 0; i < n; i++) {
			peer.arm(i, SHORTEST);
			now += USEC;
		}
		peer.settle(n);
		move("fifo_move", n, (t, r) -> SHORTEST);
		peer.stop();
		fired.set(0);
		peer.start(n, 1);
		long start = System.nanoTime() + n * 2 * USEC + SECOND / 5;
		for (int i = 0; i < n; i++)
			peer.arm(i, squeezed(i * USEC, n * USEC, start, n));
		drain("fifo_expire", n, now + SHORTEST + n * USEC);
	}

	private void all(int n, boolean expire) throws Exception {
		rng = n;
		now = 1000 * SECOND;
		operations(n);
		if (!expire)
			return;
		expiry("expire", n, false);
		expiry("burst", n, true);
		fifo(n);
	}

	public static void main(String[] args) throws Exception {
		int n = Integer.parseInt(args[1]);
		Bench bench = new Bench(args[0]);

		quiet = true;
		for (int i = 0; i < 3; i++)
			bench.all(1000, true);
		quiet = false;
		bench.all(n, args.length == 2);
		System.exit(0);
	}
}
