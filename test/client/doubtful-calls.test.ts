import { describe, expect, it } from 'vitest';
import { type ClientEvent, createClient, isQuotaExhausted } from '../../src/index.ts';
import { createMockService, type MockServiceOptions, seeded, virtualClock } from '../../src/testing/index.ts';
import { cases } from '../support/deep.ts';

const MAX_QUEUE_MS = 90_000;
const WINDOW_MS = 60_000;

interface Fate {
  readonly sentAt: number | undefined;
  readonly refusedAt: number | undefined;
}

/** What becomes of 240 calls that are made at once, a quarter of them of 25 units and the rest of one, in milliseconds since then. */
async function fatesIn(windows: NonNullable<MockServiceOptions['windows']>, start: number): Promise<readonly Fate[]> {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 9 * start, 300) });
  const service = createMockService({
    ...{ clock, windows, keyless: { minute: 100 }, latencyMs: [40, 160], random: seeded(start) },
    cost: ({ url }) => Number(url.searchParams.get('units') ?? 1),
  });
  const client = createClient({
    ...{ baseUrl: service.origin, fetch: service.fetch, clock, random: seeded(start + 1) },
    maxWaitMs: Infinity,
  });
  await clock.run(client.get('/extended/v1/info'));
  await clock.advance(1_000);
  const madeAt = clock.now();
  const sentAt = new Map<string | undefined, number>();
  client.subscribe((event: ClientEvent) => {
    if (event.type === 'sent') sentAt.set(event.label, clock.now() - madeAt);
  });
  const draw = seeded(100 + start);
  const calls = Array.from({ length: 240 }, async (_, nth): Promise<Fate> => {
    const units = draw() < 0.25 ? 25 : 1;
    const call = { label: String(nth), query: { units }, cost: units, maxQueueMs: MAX_QUEUE_MS };
    const refusedAt = await client.get('/extended/v1/info', call).then(
      () => undefined,
      (error) => {
        if (!isQuotaExhausted(error)) throw error;
        return clock.now() - madeAt;
      },
    );
    return { sentAt: sentAt.get(call.label), refusedAt };
  });
  return clock.run(Promise.all(calls));
}

describe('while the shape of a window is unknown', () => {
  it.for(
    cases(
      [['aligned', 6, [39, 40, 41, 42]]],
      [
        ['leaky', 1, [38]],
        ['sliding-log', 4, [32, 33]],
      ],
    ),
  )('no cheap call is refused that may pass costly ones soon (%s)', async ([windows, start, passing]) => {
    const fates = await fatesIn(windows, start);
    for (const nth of passing) expect(fates[nth]?.sentAt).toBeLessThan(MAX_QUEUE_MS);
  });

  it('a call that is late unless it passes others is refused once that cannot be a window before its time, without an answer', async () => {
    const refusedAt = (await fatesIn('sliding-log', 5)).flatMap((fate) => fate.refusedAt ?? []);
    expect(refusedAt.filter((at) => at > 1_000).length).toBeGreaterThan(100);
    expect(refusedAt.filter((at) => at > MAX_QUEUE_MS - WINDOW_MS).length).toBeLessThan(20);
  });
});
