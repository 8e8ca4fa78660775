import { describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/index.ts';
import { type MockServiceOptions, seeded } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';
import { worldOf } from './support/world.ts';

const MINUTE_MS = 60_000;

/** A minute of 500 that only `ratelimit-*` describes. */
const GENERIC: MockServiceOptions = {
  keyed: { minute: 500 },
  headers: { family: false },
  latencyMs: [20, 120],
};

/** Makes bursts of calls, one a minute or so, with clients that take turns. @returns how long each call took, in order. */
async function bursts(
  { clock }: ReturnType<typeof worldOf>,
  clients: readonly Client[],
  { count, size }: { readonly count: number; readonly size: number },
  ask: (client: Client, number: number) => Promise<unknown> = (client) => client.getInfo(),
): Promise<number[]> {
  const took: number[] = [];
  const call = async (client: Client | undefined, number: number): Promise<void> => {
    const from = clock.now();
    if (client) await ask(client, number);
    took.push(clock.now() - from);
  };
  const all: Promise<void>[] = [];
  const draw = seeded(7);
  for (let burst = 0; burst < count; burst++) {
    for (let number = 0; number < size; number++) all.push(call(clients[number % clients.length], number));
    await clock.run(clock.sleep(MINUTE_MS * (0.8 + 0.4 * draw())));
  }
  await clock.run(Promise.all(all));
  return took.sort((a, b) => a - b);
}

describe('a minute that only ratelimit-* describes', () => {
  // No refusal told it, and the first reading of each minute was full of the minute before: it was waited for to its end, with half of the quota
  // unused.
  it('and that is an estimate from calendar minutes is used up at a steady pace, and refuses nothing', async () => {
    const { clock, service, client } = worldOf({ ...GENERIC, windows: 'sliding-counter', skewMs: 45_000 });
    const draw = seeded(3);
    const all: Promise<unknown>[] = [];
    for (let phase = 0; phase < 3; phase++) {
      for (const end = clock.now() + MINUTE_MS; clock.now() < end; ) {
        all.push(client.getInfo());
        await clock.run(clock.sleep(180 * draw()));
      }
      await clock.run(clock.sleep(40_000));
    }
    const askedBy = clock.now();
    await clock.run(Promise.all(all));
    expect(service.limited).toBe(0);
    expect(clock.now() - askedBy).toBeLessThan(MINUTE_MS);
  });

  // The requests of both that were under way when it was full were refused: 148 of 4,800.
  it.each(cases(['aligned'], ['sliding-log', 'first-request']))(
    'refuses hardly any request of two clients that share nothing (%s)',
    async (windows) => {
      const world = worldOf({ ...GENERIC, windows });
      const { clock, service } = world;
      const other = createClient({
        baseUrl: service.origin,
        apiKey: 'a-key',
        fetch: service.fetch,
        clock,
        random: seeded(9),
      });
      await bursts(world, [world.client, other], { count: 12, size: 300 });
      expect(service.limited / 3_600).toBeLessThan(0.01);
      await other.close();
    },
  );

  // Requests counted, and not their units: in a log each burst that met its end was refused as a whole.
  it.each(cases(['sliding-log'], ['aligned', 'first-request', 'leaky']))(
    'counts units where the service names no window beside it, and refuses nothing (%s)',
    async (windows) => {
      const world = worldOf({ ...GENERIC, windows, cost: { assets: 3 } });
      const ask = (client: Client, number: number): Promise<unknown> =>
        number % 2 === 0 ? client.getInfo() : world.ask(number);
      await bursts(world, [world.client], { count: 6, size: 300 }, ask);
      expect(world.service.limited).toBe(0);
    },
  );
});
