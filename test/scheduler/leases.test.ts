import { expect, it } from 'vitest';
import type { Lease } from '../../src/quota/admission.ts';
import type { Books } from '../../src/quota/books.ts';
import type { CallQueue } from '../../src/scheduler/call-queue.ts';
import type { KeyTurns } from '../../src/scheduler/key-turns.ts';
import { Leases } from '../../src/scheduler/leases.ts';
import type { QueueableCall, WaitingCall } from '../../src/scheduler/waiting-call.ts';
import { virtualClock } from '../../src/testing/index.ts';

const LEASE = { endpoint: 'GET /' } as Lease;
const HOUR_MS = 3_600_000;

/** Leases of a queue in which as many calls wait as the test says. */
function leases() {
  const clock = virtualClock();
  const said = { length: 0, isFree: false, keyDueAt: Number.POSITIVE_INFINITY, triesAt: Number.POSITIVE_INFINITY };
  const asked: number[] = [];
  const woken: number[] = [];
  const queue = {
    get length() {
      return said.length;
    },
    acquire: (call: QueueableCall) => (said.isFree ? LEASE : Promise.resolve({ call, lease: LEASE } as WaitingCall)),
    wake: () => void woken.push(clock.now()),
  } as CallQueue;
  const books = {
    present: {
      get triesAt() {
        return said.triesAt;
      },
    },
  } as Books;
  const keyTurns = {
    get dueAt() {
      return said.keyDueAt;
    },
    askWhileWaiting() {
      asked.push(clock.now());
      said.keyDueAt = clock.now() + 1_000;
    },
  } as KeyTurns;
  return { clock, said, asked, woken, leases: new Leases({ clock, queue, books, keyTurns }) };
}

const callOf = (priority?: number): QueueableCall => ({ ask: { priority } }) as QueueableCall;

it('leases count the urgent calls that wait, and none that is sent at once or has waited', async () => {
  const { said, leases: all } = leases();
  const waits = [1, 0, -1, undefined, 9].map((priority) => all.acquire(callOf(priority)));
  expect(all.urgentWaiting).toBe(2);
  for (const wait of waits) expect(all.leaseOf(await (wait as Promise<WaitingCall>))).toBe(LEASE);
  expect(all.urgentWaiting).toBe(0);
  const again = all.get(callOf(1));
  expect(all.urgentWaiting).toBe(1);
  expect(await again).toBe(LEASE);
  said.isFree = true;
  expect([await all.get(callOf(1)), all.urgentWaiting]).toEqual([LEASE, 0]);
});

it('leases ask for the key when it is due, but only while calls wait', async () => {
  const { clock, said, asked, leases: all } = leases();
  said.keyDueAt = 500;
  said.isFree = true;
  void all.acquire(callOf());
  expect(clock.timers).toBe(0);
  Object.assign(said, { isFree: false, length: 1 });
  void all.acquire(callOf());
  await clock.advance(2_600);
  expect(asked).toEqual([500, 1_500, 2_500]);
  said.length = 0;
  await clock.advance(10_000);
  expect([asked.length, clock.timers]).toEqual([3, 0]);
});

it('leases wake the queue for a trial once an hour at most, however soon one may be made', async () => {
  const { clock, said, woken, leases: all } = leases();
  Object.assign(said, { triesAt: 5_000, length: 1 });
  void all.acquire(callOf());
  await clock.advance(2 * HOUR_MS + 6_000);
  expect(woken).toEqual([5_000, HOUR_MS + 5_000, 2 * HOUR_MS + 5_000]);
});

it('leases leave no timer when no call is left', () => {
  const { clock, said, leases: all } = leases();
  Object.assign(said, { triesAt: 5_000, keyDueAt: 500, length: 1 });
  void all.acquire(callOf());
  expect(clock.timers).toBe(2);
  all.stop();
  expect(clock.timers).toBe(0);
});
