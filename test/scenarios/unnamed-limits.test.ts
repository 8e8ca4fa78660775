import { describe, expect, it } from 'vitest';
import type { ServiceFault } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';
import { hideLimit } from './support/hidden-limit.ts';
import { outcomeOf } from './support/outcome.ts';
import { worldOf } from './support/world.ts';

describe('a rate that no header names', () => {
  it.each([
    ['one endpoint', 1],
    ['five endpoints', 5],
  ])('is found for calls of %s although light traffic was served before', async (_, endpoints) => {
    const paths = Array.from({ length: endpoints }, (_, nth) => `/${nth}` as const);
    const routes = Object.fromEntries(paths.map((path) => [`GET ${path}` as const, () => ({})]));
    const { clock, service, client } = worldOf({ keyed: { minute: 5_000 }, routes });
    const call = (nth: number) => client.get(paths[nth % endpoints] ?? '', { maxWaitMs: Infinity });
    for (let second = 0; second < 30; second++) {
      await clock.run(call(second));
      await clock.advance(1_000);
    }
    const sent: number[] = [];
    let refused = 0;
    service.faults.when(() => {
      const now = clock.now();
      while ((sent[0] ?? now) <= now - 1_000) sent.shift();
      if (sent.length < 10) return void sent.push(now);
      refused++;
      return { status: 429, counted: false };
    });
    await clock.run(Promise.all(Array.from({ length: 300 }, (_, nth) => call(nth))));
    expect(refused).toBeLessThan(80);
  });
});

describe('a limit that no answer names, beside windows that answers name', () => {
  const TEN_A_SECOND = { limit: 10, ms: 1_000 };

  it.each(
    cases<[string, ServiceFault]>(
      [['without any header', { status: 429, counted: false }]],
      [['with a retry-after of a second', { status: 429, headers: { 'retry-after': '1' } }]],
    ),
  )('is found by its refusals, %s: of a bulk of 1,000 none fails, and few are refused', async (_, fault) => {
    const world = worldOf({ keyed: { minute: 5_000 } });
    const { clock, ask } = world;
    const refused = hideLimit(world, TEN_A_SECOND, fault);
    await clock.run(Promise.all(Array.from({ length: 1_000 }, (_, number) => ask(number))));
    expect(clock.now()).toBeLessThan(130_000);
    expect(refused()).toBeLessThan(100);
  });

  it.each(
    cases<[string, number, number]>(
      [['beside one call a second of another endpoint', 100, 150_000]],
      [['after one call of another endpoint', 1, 130_000]],
    ),
  )('is found by its refusals %s, although every window has room', async (_, calls, mostMs) => {
    const world = worldOf({ keyed: { minute: 5_000 } });
    const { clock, client, ask } = world;
    const refused = hideLimit(world, TEN_A_SECOND, { status: 429, headers: { 'retry-after': '1' } });
    await clock.run(client.getInfo());
    const bulk = Promise.all(Array.from({ length: 1_000 }, (_, number) => ask(number)));
    for (let call = 1; call < calls; call++) {
      void client.getInfo({ priority: 1 });
      await clock.advance(1_000);
    }
    await clock.run(bulk);
    expect(clock.now()).toBeLessThan(mostMs);
    expect(refused()).toBeLessThan(100);
  });

  it('is found where it is a bucket that drains, and kept: no storm of refusals, and no call fails', async () => {
    const world = worldOf({ keyed: { minute: 5_000 } });
    const { clock, ask } = world;
    const bucket = { limit: 500, ms: 60_000, drains: true };
    const refused = hideLimit(world, bucket, { status: 429, headers: { 'retry-after': '1' } });
    await clock.run(Promise.all(Array.from({ length: 1_500 }, (_, number) => ask(number))));
    expect(refused()).toBeLessThan(100);
    expect(clock.now()).toBeLessThan(125_000);
  });

  it('is remembered from burst to burst, whatever little is sent between them', async () => {
    const world = worldOf({ keyed: { minute: 5_000 } });
    const { clock, client } = world;
    const refused = hideLimit(world, TEN_A_SECOND, { status: 429, headers: { 'retry-after': '1' } });
    const refusedIn: number[] = [];
    for (let burst = 0; burst < 8; burst++) {
      const before = refused();
      await clock.run(Promise.all(Array.from({ length: 40 }, () => client.getInfo())));
      for (let call = 0; call < 20; call++) await clock.run(client.getInfo().then(() => clock.sleep(10_000)));
      refusedIn.push(refused() - before);
    }
    expect(refusedIn[0]).toBeGreaterThan(10);
    for (const count of refusedIn.slice(4)) expect(count).toBeLessThan(4);
  });

  it('is not supposed after one refusal: a quiet client sends its next burst at once', async () => {
    const { clock, service, client } = worldOf();
    for (let minute = 0; minute < 10; minute++) {
      await clock.run(client.getInfo());
      await clock.advance(60_000);
    }
    service.faults.next(1, { status: 429, counted: false });
    await clock.run(client.getInfo());
    const from = clock.now();
    await clock.run(Promise.all(Array.from({ length: 20 }, () => client.getInfo())));
    expect(clock.now() - from).toBeLessThan(2_000);
  });

  // The rate was that of all the time since the first call: these took 156 s, and 20 s are the least.
  it('is found from a burst after a quiet time, where no window is named', async () => {
    const headers = { family: false, generic: false, cost: false };
    const world = worldOf({ keyed: { minute: 5_000 }, headers });
    const { clock, ask } = world;
    const refused = hideLimit(world, { limit: 5, ms: 1_000 }, { status: 429, headers: { 'retry-after': '1' } });
    await clock.run(ask(0));
    await clock.advance(300_000);
    const from = clock.now();
    await clock.run(Promise.all(Array.from({ length: 100 }, (_, number) => ask(number))));
    expect(refused()).toBeLessThan(40);
    expect(clock.now() - from).toBeLessThan(40_000);
  });

  // Its probes, one a second as retry-after says, were taken for evidence that no rate helps: 457 were refused, and 30 calls failed.
  it('of one endpoint is found from burst to burst, and probed ever more rarely where it is full', async () => {
    const { clock, service, client, ask } = worldOf({
      keyed: { minute: 1_000 },
      ceilings: { assets: { limit: 10, period: 'minute' } },
      headers: { generic: false },
      limited: { retryAfter: 1 },
    });
    const outcomes: Promise<unknown>[] = [];
    for (let second = 0; second < 600; second += 5) {
      outcomes.push(outcomeOf(client.getInfo()));
      if (second % 60 === 20) for (let number = 0; number < 14; number++) outcomes.push(outcomeOf(ask(number)));
      await clock.run(clock.sleep(5_000));
    }
    expect(new Set(await clock.run(Promise.all(outcomes)))).toEqual(new Set(['ok']));
    // Of 140 calls that ten a minute are served of.
    expect(service.limited).toBeLessThan(120);
  });
});
