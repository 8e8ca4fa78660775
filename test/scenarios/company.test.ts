import { describe, expect, it } from 'vitest';
import { untilNext } from '../../bench/at-random.ts';
import { isQuotaExhausted } from '../../src/index.ts';
import { type MockService, seeded, type VirtualClock } from '../../src/testing/index.ts';
import { cases, runs } from '../support/deep.ts';
import { worldOf } from './support/world.ts';

const MINUTE_MS = 60_000;

/** Another consumer of the same key, which uses one unit after the other at an even pace from now on. Returns a function that stops it. */
function stranger(clock: VirtualClock, service: MockService, perMinute: number): () => void {
  let isGone = false;
  const come = (): void => {
    if (isGone) return;
    service.spend(1, 'a-key');
    clock.timer(MINUTE_MS / perMinute, come);
  };
  come();
  return () => {
    isGone = true;
  };
}

/** Uses the key now, and again and again at random instants. */
function byChance(clock: VirtualClock, meanMs: number, random: () => number, use: () => void): void {
  use();
  clock.timer(untilNext(meanMs, random), () => byChance(clock, meanMs, random, use));
}

describe('beside another consumer of the same key, at 100 units a minute', () => {
  it('work that fits beside it is done at once, not spread over the minute', async () => {
    const { clock, service, client, ask } = worldOf({ keyed: { minute: 100 } });
    stranger(clock, service, 30);
    for (let call = 0; call < 200; call++) ask(call).catch(String);
    await clock.advance(5 * MINUTE_MS - (clock.wall() % MINUTE_MS) + 200);
    const before = service.limited;
    const from = clock.now();
    await clock.run(Promise.all(Array.from({ length: 40 }, (_, call) => ask(call))));
    expect(clock.now() - from).toBeLessThanOrEqual(2_000);
    expect(service.limited).toBe(before);
    await clock.run(client.close());
  });

  it('what is kept for it and not taken is used before the minute ends', async () => {
    const { clock, service, client, ask } = worldOf({ keyed: { minute: 100 } });
    const leave = stranger(clock, service, 40);
    let served = 0;
    for (let call = 0; call < 600; call++) ask(call).then(() => served++, String);
    await clock.advance(4 * MINUTE_MS);
    leave();
    const before = served;
    await clock.advance(MINUTE_MS);
    expect(served - before).toBeGreaterThanOrEqual(95);
    await clock.run(client.close());
  });

  it('a minute begins for us when it begins, though it took the last units of the one before', async () => {
    const { clock, service, client, ask } = worldOf({ keyed: { minute: 100 } });
    const perMinute: number[] = [];
    let served = 0;
    await clock.advance(30_000);
    stranger(clock, service, 40);
    for (let call = 0; call < 240; call++) ask(call).then(() => served++, String);
    await clock.advance(27_000);
    // The other consumer took 18, unless we left it fewer.
    service.spend(Math.max(0, 100 - served - 18), 'a-key');
    await clock.advance(3_000);
    for (let minute = 0; minute < 2; minute++) {
      const before = served;
      await clock.advance(5_000);
      perMinute.push(served - before);
      await clock.advance(MINUTE_MS - 5_000);
    }
    expect(Math.min(...perMinute)).toBeGreaterThanOrEqual(20);
    await clock.run(client.close());
  });
});

describe('beside a consumer of the same key who wants 350 of 500 units a minute, and repeats nothing', () => {
  it('half of what it asks for is served at least, and we use the other half of the minute', async () => {
    const { clock, service, client, ask } = worldOf({ keyed: { minute: 500 } });
    const minutes = runs(3, 6);
    let asked = 0;
    let refused = 0;
    const come = (): void => {
      const url = new URL('/extended/v1/info', service.origin);
      const answer = service.answer({ method: 'GET', url, headers: new Headers({ 'x-api-key': 'a-key' }) });
      answer.leave();
      asked++;
      if (answer.limited) refused++;
      if (asked < minutes * 350) clock.timer(MINUTE_MS / 350, come);
    };
    come();
    let served = 0;
    for (let call = 0; call < 500 * minutes; call++) ask(call).then(() => served++, String);
    await clock.advance(MINUTE_MS);
    // In the first minute nothing is known of it.
    const before = { asked, refused, served };
    await clock.advance((minutes - 1) * MINUTE_MS);
    expect(asked - refused - before.asked + before.refused).toBeGreaterThan(0.5 * (asked - before.asked));
    expect(served - before.served).toBeGreaterThan(0.45 * 500 * (minutes - 1));
    await clock.run(client.close());
  });
});

describe('beside a consumer of the same key who takes half of the only limit, one of a second, by chance', () => {
  it.each(cases(['sliding-log'], ['aligned']))('a call a second waits for seconds at most: %s', async (windows) => {
    const { clock, service, client, ask } = worldOf({ keyed: { second: 10 }, windows });
    byChance(clock, 200, seeded(1), () => {
      const url = new URL('/extended/v1/info', service.origin);
      service.answer({ method: 'GET', url, headers: new Headers({ 'x-api-key': 'a-key' }) }).leave();
    });
    const waits: number[] = [];
    for (let call = 0; call < 300; call++) {
      const from = clock.now();
      ask(call).then(() => waits.push(clock.now() - from), String);
      await clock.advance(1_000);
    }
    await clock.advance(5_000);
    expect(waits).toHaveLength(300);
    expect(Math.max(...waits)).toBeLessThan(10_000);
    await clock.run(client.close());
  });
});

describe('calls at random instants, beside consumers of the same key that leave room for them in a second that slides', () => {
  it.each(
    cases(
      [{ second: 10, others: 5, calls: 2 }],
      [
        { second: 5, others: 2, calls: 1 },
        { second: 20, others: 12, calls: 3 },
      ],
    ),
  )('wait for seconds, not for minutes: $calls of $second, others take $others', async ({ second, others, calls }) => {
    const { clock, service, client, ask } = worldOf(
      { keyed: { second }, windows: 'sliding-log' },
      { maxWaitMs: Infinity },
    );
    byChance(clock, 1_000 / others, seeded(2), () => service.spend(1, 'a-key'));
    const minutes = runs(3, 5);
    const waits: number[] = [];
    let called = 0;
    byChance(clock, 1_000 / calls, seeded(3), () => {
      const from = clock.now();
      if (from < minutes * MINUTE_MS) ask(++called).then(() => waits.push(clock.now() - from), String);
    });
    await clock.advance((minutes + 1) * MINUTE_MS);
    expect(waits).toHaveLength(called);
    expect(waits.reduce((sum, wait) => sum + wait, 0) / called).toBeLessThan(8_000);
    await clock.run(client.close());
  });
});

describe('a client whose first request meets a second that consumers before it have filled', () => {
  it.each(cases([20], [10, 100]))('goes on within seconds: %i a second', async (second) => {
    const { clock, service, client, ask } = worldOf({ keyed: { second } });
    service.spend(second, 'a-key');
    await clock.run(Promise.all(Array.from({ length: 30 }, (_, call) => ask(call))));
    expect(clock.now()).toBeLessThan(13_000);
    await clock.run(client.close());
  });
});

describe('beside consumers of the same key that take two of 20 units a second, by chance', () => {
  it('they are not overlooked in full seconds, in which our requests under way hide them', async () => {
    const refused: number[] = [];
    for (const seed of cases([1], [2, 3, 4])) {
      const { clock, service, client, ask } = worldOf();
      byChance(clock, 500, seeded(seed), () => service.spend(1, 'a-key'));
      await clock.run(Promise.all(Array.from({ length: runs(1_000, 1_500) }, (_, call) => ask(call))));
      refused.push(service.limited);
      await clock.run(client.close());
    }
    expect(refused.reduce((sum, count) => sum + count) / refused.length).toBeLessThanOrEqual(2);
  });
});

describe('a job of 18 calls each minute, beside consumers of the same key that take six of the 30 units, by chance', () => {
  it.each(
    cases(
      [['sliding-log', 1, 10_000]],
      [
        ['first-request', 4, 5_000],
        ['sliding-counter', 1, 120_000],
      ],
    ),
  )('waits little, as there is room for both: %s', async (windows, seed, mostMs) => {
    const { clock, service, client, ask } = worldOf({ keyed: { minute: 30 }, windows });
    byChance(clock, MINUTE_MS / 6, seeded(seed), () => service.spend(1, 'a-key'));
    const waits: number[] = [];
    for (let minute = 0; minute < 20; minute++) {
      const from = clock.now();
      for (let call = 0; call < 18; call++) ask(call).then(() => waits.push(clock.now() - from), String);
      await clock.advance(MINUTE_MS);
    }
    await clock.run(client.close({ drain: true }));
    expect(waits).toHaveLength(360);
    expect(waits.sort((one, other) => one - other)[Math.floor(0.95 * 360)]).toBeLessThan(mostMs);
  });
});

describe('the last units of a month, which other consumers of the same key have used', () => {
  it.each([0, 60_000])('are kept for them, and a call that may wait for %d ms fails by then', async (maxWaitMs) => {
    const { clock, service, client, ask } = worldOf({ keyed: { month: 100_000 } });
    await clock.run(Promise.all(Array.from({ length: 20 }, (_, call) => ask(call))));
    service.spend(99_970, 'a-key');
    const call = () => clock.run(client.getInfo({ maxWaitMs }).catch((error: unknown) => error));
    await call();
    await clock.advance(1_000);
    let kept = 0;
    for (let nth = 0; nth < 12; nth++) {
      const from = clock.now();
      if (isQuotaExhausted(await call())) kept++;
      expect(clock.now() - from).toBeLessThanOrEqual(maxWaitMs + 1_000);
    }
    expect(kept).toBeGreaterThan(0);
    expect(service.limited).toBe(0);
    await client.close();
  });
});
