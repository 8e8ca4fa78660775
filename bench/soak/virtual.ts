import { getEventListeners } from 'node:events';
import { type Client, createClient } from '../../src/index.ts';
import { createMockService, seeded, virtualClock } from '../../src/testing/index.ts';
import { ADDRESSES } from '../addresses.ts';
import { isExpected } from './expected.ts';
import { growthIn, type Sample, sample } from './memory.ts';

/** Of the client that works through all rounds, and of those that are closed with theirs. */
const [LASTING, PASSING] = ['a-key-of-the-mock', 'another-key-of-the-mock'];
const SAMPLES = 12;

/** Calls of one round: beside the client that lasts, another is made, works, and is closed. */
const ROUND = 2_500;

/** After this time nothing of a round is remembered but what lasts, in milliseconds. */
const HOUR_MS = 3_600_000;

/** Result of a soak: the samples, and what went wrong as sentences. */
export interface Soaked {
  readonly samples: readonly Sample[];
  readonly faults: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Calls through the whole client in virtual time: single calls, bulk work and walks, aborted ones, faults of every kind, ends of months,
 * and clients that are closed while calls wait. Afterwards no call, lease, listener or timer may be left, and memory must be flat.
 */
export async function soakVirtually(calls: number): Promise<Soaked> {
  // Some seconds before a month ends, and again in each round.
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 31, 23, 59, 30) });
  const random = seeded(7);
  const service = createMockService({
    clock,
    random,
    keys: [LASTING, PASSING],
    keyed: { second: 200, minute: 8_000, month: 10_000_000 },
    latencyMs: [5, 60],
    keepLog: false,
    assetsOf: () => 60,
  });
  const faults: ('reset' | 'lost' | 'truncate' | 'no quota headers' | { readonly status: number })[] = [
    ...(['reset', 'lost', 'truncate', 'no quota headers'] as const),
    ...[{ status: 500 }, { status: 503 }, { status: 502 }],
  ];
  service.faults.when(() => (random() < 0.01 ? faults[Math.floor(random() * faults.length)] : undefined));
  const samples: Sample[] = [];
  const wrong: string[] = [];
  let made = 0;
  let failed = 0;
  const settled = async (call: Promise<unknown>): Promise<void> => {
    made++;
    await call.catch((error: Error) => {
      failed++;
      if (!isExpected(error)) wrong.push(`${error.name}: ${error.message}`);
    });
  };

  const clientWith = (apiKey: string): Client =>
    createClient({ baseUrl: service.origin, apiKey, fetch: service.fetch, clock, random });
  const lasting = clientWith(LASTING);

  const round = async (): Promise<void> => {
    const client = clientWith(PASSING);
    const { signal } = new AbortController();
    const someAddress = (): string => ADDRESSES[Math.floor(random() * ADDRESSES.length)] ?? '';
    const singles = Array.from({ length: ROUND / 2 }, () =>
      settled(lasting.getAddressAssets(someAddress(), { signal })),
    );
    const aborted = Array.from({ length: ROUND / 10 }, () => {
      const abort = new AbortController();
      const call = settled(client.getInfo({ signal: abort.signal }));
      clock.timer(random() * 3_000, () => abort.abort());
      return call;
    });
    const bulk = (async () => {
      for await (const { status } of lasting.bulk(ADDRESSES.slice(0, 100), (address, options) =>
        lasting.getAddressAssets(address, options),
      )) {
        made++;
        if (status === 'rejected') failed++;
      }
    })();
    await clock.run(Promise.all([...singles, ...aborted, bulk]));
    // These wait, and are turned away.
    const rest = Array.from({ length: ROUND / 4 }, () => settled(client.getInfo()));
    await clock.advance(40);
    await clock.run(Promise.all([client.close(), ...rest]));
    if (client.queue().length > 0) wrong.push('a closed client has waiting calls');
    await clock.advance(HOUR_MS);
    for (const { inFlight, held } of [client.quota(), lasting.quota()])
      if (inFlight + held > 0) wrong.push(`${inFlight} requests are in flight, and ${held} units held`);
    if (getEventListeners(signal, 'abort').length > 0) wrong.push('a signal has listeners left');
    if (clock.timers > 0) wrong.push(`${clock.timers} timers are left`);
    clock.setWall(Date.UTC(2026, Math.floor(made / ROUND) % 12, 27, 23, 59, 30));
  };

  while (made < calls && wrong.length === 0) {
    if (made >= (samples.length * calls) / SAMPLES) samples.push(await sample(made));
    await round();
  }
  samples.push(await sample(made));
  await clock.run(lasting.close());
  const notes = [`${made} calls, ${failed} of them failed or were turned away, ${service.limited} refused`];
  return { samples, faults: [...new Set(wrong), ...growthIn(samples)], notes };
}
