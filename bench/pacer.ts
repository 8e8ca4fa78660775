/** Benchmark: cost of admitting and settling a request, with three windows, 64 requests in flight and many waiting calls. */
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../src/clock.ts';
import type { Lease, RequestOutcome } from '../src/quota/admission.ts';
import { ClientWide } from '../src/quota/client-wide.ts';
import { aligned } from '../src/quota/models/aligned.ts';
import type { Shape } from '../src/quota/models/model.ts';
import { Pacer } from '../src/quota/pacer.ts';
import { CallQueue } from '../src/scheduler/queue/call-queue.ts';
import { firstDecile } from './compare.ts';
import { Tally } from './tally.ts';

const IN_FLIGHT = 64;
const DEPTHS = [0, 10_000, 1_000_000];
const ROUNDS = 200;
const A_ROUND = 200;

/** The service's clock at the start: not near a boundary of a month, where requests count in two. */
const START = Date.UTC(2026, 2, 10, 14, 0, 7);

const ask = { endpoint: 'GET /extended/v1/info', maxWaitMs: Infinity };
const trace = {
  waiting: () => {},
  returned: () => {},
  attempts: 0,
  isRetrying: false,
  calledAt: 0,
  queuedAt: 0,
  keepContext: () => {},
};
const pacerOf = (concurrency: number, shapes?: readonly Shape[]): Pacer =>
  new Pacer({ clientWide: new ClientWide(concurrency), leaseMs: 90_000, ...(shapes && { shapes }) });

const rows: Record<string, string> = {
  'the pacer alone': `${alone().toFixed(1)} µs`,
  'alone, told the shape of each window': `${alone([aligned]).toFixed(1)} µs`,
  'alone, told the shape of the only window': `${alone([aligned], 1).toFixed(1)} µs`,
};
for (const depth of DEPTHS) {
  rows[`with the queue, ${depth.toLocaleString('en')} waiting`] = `${(await queued(depth)).toFixed(1)} µs`;
}
console.log('\nTo admit a request and to settle it');
console.table(rows);
// Calls still wait, and would keep the process alive.
process.exit();

/** Each millisecond one request is settled and the next one admitted. */
function alone(shapes?: readonly Shape[], windows?: number): number {
  const pacer = pacerOf(IN_FLIGHT + 1, shapes);
  const answers = answersOf(new Tally(), windows);
  const leases: Lease[] = [];
  let now = 0;
  const step = (): void => {
    now++;
    const admission = pacer.admit(ask, now);
    if (admission.kind === 'granted') leases.push(admission.lease);
    if (leases.length > IN_FLIGHT || admission.kind !== 'granted') {
      const [oldest] = leases.splice(0, 1);
      if (oldest) pacer.settle(oldest, answers(START + now), now);
    }
  };
  for (let warmUp = 0; warmUp < 100_000; warmUp++) step();
  return firstDecile(Array.from({ length: ROUNDS }, () => timed(() => repeat(step)) / A_ROUND));
}

/** When a request ends, the next call is sent and another one is enqueued. */
async function queued(depth: number): Promise<number> {
  const queue = new CallQueue({
    pacer: pacerOf(IN_FLIGHT),
    clock: systemClock,
    maxWaitMs: ask.maxWaitMs,
    maxWaiting: Infinity,
    onOverflow: 'reject-new',
    onWait: () => {},
    // No call is turned away.
    outlook: {
      leave: () => {},
      sentAt: () => -Infinity,
      lateErrors: () => new Map(),
      recheckAt: Infinity,
      isPaused: false,
      turnAway: () => new Map(),
      overflowOf: () => new Error('more than may wait'),
    },
  });
  const answers = answersOf(new Tally());
  const leases: Lease[] = [];
  let calls = 0;
  const join = (): void => {
    const lease = queue.acquire({ ask, signal: undefined, trace: { ...trace, ticket: calls++ } });
    if (lease instanceof Promise) void lease.then((waited) => leases.push(waited.lease));
    else leases.push(lease);
  };
  for (let caller = 0; caller < IN_FLIGHT + depth; caller++) join();
  const step = async (): Promise<void> => {
    join();
    // Usually a few microtasks; if the queue waits for time to pass, its timers must run.
    for (let turns = 0; leases.length === 0; turns++) await (turns < 100 ? undefined : setImmediate());
    const [oldest] = leases.splice(0, 1);
    if (oldest) queue.release(oldest, answers(Date.now()));
  };
  const walk = async (): Promise<void> => {
    for (let steps = 0; steps < A_ROUND; steps++) await step();
  };
  for (let warmUp = 0; warmUp < 100; warmUp++) await walk();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await walk();
    times.push(((performance.now() - start) * 1_000) / A_ROUND);
  }
  return firstDecile(times);
}

/** The service's headers, request by request. */
function answersOf(tally: Tally, windows?: number): (now: number) => RequestOutcome {
  return (now) => {
    const date = Math.floor(now / 1_000) * 1_000;
    const counts = tally.count(now).slice(0, windows);
    const named = counts.map(({ period, limit, remaining }) => [period, { limit, remaining }] as const);
    const stacks = { cost: 1, ...Object.fromEntries(named) };
    return {
      kind: 'answered',
      limited: false,
      quota: { receivedAt: now, date, stacks, malformed: [], unrecognised: {} },
    };
  };
}

function repeat(step: () => void): void {
  for (let steps = 0; steps < A_ROUND; steps++) step();
}

/** In microseconds. */
function timed(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) * 1_000;
}
