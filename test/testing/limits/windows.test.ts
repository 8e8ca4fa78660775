import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createMockService,
  type MockServiceOptions,
  seeded,
  virtualClock,
  type WindowKind,
} from '../../../src/testing/index.ts';
import { runs } from '../../support/deep.ts';

const URL_OF_INFO = new URL('https://api.mock.test/extended/v1/info');
const START = Date.UTC(2026, 0, 31, 23, 59, 30);

/** A service whose requests cost what their `?cost=` says, and what it answers at so many milliseconds after the start. */
function asked(options: MockServiceOptions): (at: number, cost?: number) => Promise<string> {
  const clock = virtualClock({ wall: START });
  const cost = ({ url }: { url: URL }): number => Number(url.searchParams.get('cost') ?? 1);
  const service = createMockService({ clock, cost, ...options });
  return async (at, cost = 1) => {
    await clock.advance(at - clock.now());
    const url = new URL(`?cost=${cost}`, URL_OF_INFO);
    const { status, headers, leave } = service.answer({ method: 'GET', url, headers: new Headers() });
    leave();
    const shown = new Map(headers);
    const reset = Number(shown.get('ratelimit-reset')) * 1_000 - START;
    const wait = shown.has('retry-after') ? ` wait ${shown.get('retry-after')}` : '';
    return `${status} left ${shown.get('ratelimit-remaining')} reset ${reset}${wait}`;
  };
}

describe('a month that is stated to end after 30 days', () => {
  const statedAt = async (wall: number): Promise<{ status: number; retryAfter: number; resetAt: string }> => {
    const clock = virtualClock({ wall });
    const service = createMockService({ clock, keyless: { month: 1 }, windows: 'aligned-30-days' });
    const ask = () => service.fetch(`${service.origin}/extended/v1/info`);
    await ask();
    const { status, headers } = await ask();
    const resetAt = new Date(Number(headers.get('ratelimit-reset')) * 1_000).toISOString();
    return { status, retryAfter: Number(headers.get('retry-after')), resetAt };
  };

  it.for<[day: number, retryAfter: number, resetAt: string]>([
    [Date.UTC(2026, 1, 27), 4 * 86_400, '2026-03-03T00:00:00.000Z'],
    [Date.UTC(2026, 0, 30), 86_400, '2026-01-31T00:00:00.000Z'],
    [Date.UTC(2026, 0, 31, 12), 1, '2026-01-31T12:00:01.000Z'],
    [Date.UTC(2026, 3, 30), 86_400, '2026-05-01T00:00:00.000Z'],
  ])('is so on day %d', async ([day, retryAfter, resetAt]) => {
    expect(await statedAt(day)).toEqual({ status: 429, retryAfter, resetAt });
  });

  it('begins anew on the 1st all the same', async () => {
    const clock = virtualClock({ wall: Date.UTC(2026, 1, 28, 23, 59, 59) });
    const service = createMockService({ clock, keyless: { month: 1 }, windows: { month: 'aligned-30-days' } });
    const statusNow = async (): Promise<number> => (await service.fetch(`${service.origin}/extended/v1/info`)).status;
    expect([await statusNow(), await statusNow()]).toEqual([200, 429]);
    await clock.advance(1_000);
    expect(await statusNow()).toBe(200);
  });
});

describe('a window', () => {
  it('that is aligned begins with the calendar, whenever it is first used', async () => {
    const ask = asked({ keyless: { minute: 3 } });
    expect(await ask(0)).toBe('200 left 2 reset 30000');
    expect(await ask(10_000, 2)).toBe('200 left 0 reset 30000');
    expect(await ask(29_500)).toBe('429 left 0 reset 30000 wait 1');
    expect(await ask(30_000)).toBe('200 left 2 reset 90000');
  });

  it('that is aligned by month ends with the true month', async () => {
    const ask = asked({ keyless: { month: 1 } });
    expect(await ask(0)).toBe('200 left 0 reset 30000');
    expect(await ask(29_999)).toBe('429 left 0 reset 30000 wait 1');
    expect(await ask(30_000)).toBe(`200 left 0 reset ${30_000 + 28 * 86_400_000}`);
  });

  it('from the first request lasts one period from it, and the next begins with the next request', async () => {
    const ask = asked({ windows: 'first-request', keyless: { minute: 2 } });
    expect(await ask(10_000)).toBe('200 left 1 reset 70000');
    expect(await ask(50_000)).toBe('200 left 0 reset 70000');
    expect(await ask(69_000)).toBe('429 left 0 reset 70000 wait 1');
    expect(await ask(75_000)).toBe('200 left 1 reset 135000');
  });

  it('that is a sliding log gives each charge back one period after it was made', async () => {
    const ask = asked({ windows: 'sliding-log', keyless: { minute: 4 } });
    expect(await ask(0, 1)).toBe('200 left 3 reset 60000');
    expect(await ask(10_000, 2)).toBe('200 left 1 reset 60000');
    expect(await ask(20_000, 2)).toBe('429 left 1 reset 60000 wait 40');
    expect(await ask(20_000, 4)).toBe('429 left 1 reset 60000 wait 50');
    expect(await ask(59_999, 2)).toBe('429 left 1 reset 60000 wait 1');
    expect(await ask(60_000, 2)).toBe('200 left 0 reset 70000');
    expect(await ask(70_000, 2)).toBe('200 left 0 reset 120000');
  });

  it('is neither opened nor lengthened by a request that costs nothing', async () => {
    const first = asked({ windows: 'first-request', keyless: { minute: 2 } });
    await first(0, 0);
    expect(await first(10_000)).toBe('200 left 1 reset 70000');
    const log = asked({ windows: 'sliding-log', keyless: { minute: 2 } });
    await log(0, 0);
    expect(await log(10_000)).toBe('200 left 1 reset 70000');
  });

  it('that is a sliding counter counts the last stretch by the part still covered', async () => {
    const ask = asked({ windows: 'sliding-counter', keyless: { minute: 10 } });
    expect(await ask(0, 10)).toBe('200 left 0 reset 30000');
    // At 12 s into the next minute 80 % of the 10 still count; a cost of 4 fits when no more than 6 do, at 24 s.
    expect(await ask(42_000, 4)).toBe('429 left 2 reset 90000 wait 12');
    expect(await ask(42_000, 2)).toBe('200 left 0 reset 90000');
    expect(await ask(53_999, 2)).toBe('429 left 1 reset 90000 wait 1');
    expect(await ask(54_000, 2)).toBe('200 left 0 reset 90000');
    // 10 do not fit before those 4 are past, two minutes on.
    expect(await ask(54_000, 10)).toBe('429 left 0 reset 90000 wait 96');
  });

  it('of the calendar keeps what was counted before, where a charge comes seconds late', async () => {
    const clock = virtualClock({ wall: START });
    const service = createMockService({
      clock,
      charge: 'after',
      windows: 'sliding-counter',
      keyless: { second: 10 },
    });
    const answerAt = async (at: number) => {
      await clock.advance(at - clock.now());
      return service.answer({ method: 'GET', url: URL_OF_INFO, headers: new Headers() });
    };
    const late = await answerAt(0);
    for (const at of [2_000, 2_010, 2_020, 2_030, 3_000]) (await answerAt(at)).leave();
    late.leave();
    const { headers } = await answerAt(3_250);
    // Three quarters of four, one of this second, and the request itself.
    expect(new Map(headers).get('ratelimit-remaining')).toBe('5');
  });

  it('that leaks holds one limit at once and gives it back evenly', async () => {
    const ask = asked({ windows: 'leaky', keyless: { minute: 6 } });
    expect(await ask(0, 6)).toBe('200 left 0 reset 60000');
    expect(await ask(9_999)).toBe('429 left 0 reset 60000 wait 1');
    expect(await ask(10_000)).toBe('200 left 0 reset 70000');
    expect(await ask(35_000, 4)).toBe('429 left 2 reset 70000 wait 15');
    expect(await ask(70_000, 6)).toBe('200 left 0 reset 130000');
  });

  it('that is a sliding log never lets more in than its limit, in whatever period, however long it runs', async () => {
    const ask = asked({ windows: 'sliding-log', keyless: { second: 10 } });
    const random = seeded(7);
    const served: number[] = [];
    for (let at = 0; served.length < 2_500; at += Math.floor(random() * 150)) {
      if ((await ask(at)).startsWith('200')) served.push(at);
    }
    const eleventh = served.map((at, index) => (served[index + 10] ?? Infinity) - at);
    expect(Math.min(...eleventh)).toBe(1_000);
  });

  it('that holds nothing refuses everything, whatever its shape, and asks to wait for no more than a period', async () => {
    for (const windows of ['aligned', 'first-request', 'sliding-log', 'sliding-counter', 'leaky'] as const) {
      expect(await asked({ windows, keyless: { minute: 0 } })(0)).toMatch(/^429 left 0 .* wait (30|60)$/);
    }
  });

  it('may have another shape in each period', async () => {
    const ask = asked({ windows: { second: 'leaky' }, keyless: { second: 2, minute: 3 } });
    expect(await ask(0)).toBe('200 left 1 reset 1000');
    expect(await ask(500)).toBe('200 left 1 reset 30000');
    expect(await ask(1_000)).toBe('200 left 0 reset 30000');
    expect(await ask(2_000)).toBe('429 left 0 reset 30000 wait 28');
  });

  it.for<WindowKind>(['aligned', 'first-request', 'sliding-log', 'sliding-counter', 'leaky'])(
    'of the kind %s serves a request that comes alone after as long as retry-after says',
    async (windows) => {
      const journey = fc.array(fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 1, max: 4 })), {
        minLength: 5,
      });
      await fc.assert(
        fc.asyncProperty(journey, fc.constantFrom('before', 'after'), async (steps, charge) => {
          const ask = asked({ windows, charge, keyless: { second: 5 } });
          let at = 0;
          for (const [pause, cost] of steps) {
            at += pause;
            const wait = / wait (\d+)/.exec(await ask(at, cost))?.[1];
            if (wait === undefined) continue;
            at += Number(wait) * 1_000;
            expect(await ask(at, cost)).toMatch(/^200 /);
          }
        }),
        { numRuns: runs(10, 30) },
      );
    },
  );

  it.for<[WindowKind, number]>([
    ['aligned', 1_000],
    ['first-request', 1_000],
    ['sliding-log', 1_000],
    ['sliding-counter', 1_000],
    ['leaky', 500],
  ])('of the kind %s lets twice the limit in within little more than two periods', async ([windows, soonest]) => {
    const ask = asked({ windows, keyless: { second: 10 } });
    let served = 0;
    let at = 0;
    for (; served < 20 && at < 5_000; at += 10) if ((await ask(at)).startsWith('200')) served++;
    expect(served).toBe(20);
    expect(at).toBeGreaterThanOrEqual(soonest);
    expect(at).toBeLessThanOrEqual(2_100);
  });
});

describe('a charge after the answer', () => {
  it('serves a costly request while a unit is left, and shows a remaining of 0 at least', async () => {
    const ask = asked({ charge: 'after', keyless: { minute: 5 } });
    expect(await ask(0, 4)).toBe('200 left 1 reset 30000');
    expect(await ask(1_000, 4)).toBe('200 left 0 reset 30000');
    expect(await ask(2_000, 1)).toBe('429 left 0 reset 30000 wait 28');
    expect(await ask(2_000, 0)).toBe('200 left 0 reset 30000');
  });

  it('is not counted for requests that arrive while it is pending', async () => {
    const clock = virtualClock();
    const latency = { there: 10, processing: 20, back: 10 };
    const service = createMockService({ clock, charge: 'after', keyless: { minute: 5 }, latencyMs: () => latency });
    const answers = await clock.run(() => Promise.all(Array.from({ length: 8 }, () => service.fetch(URL_OF_INFO))));
    expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining-stacks-minute'))).toEqual(
      Array(8).fill('4'),
    );
    const next = await clock.run(service.fetch(URL_OF_INFO));
    expect(next.status).toBe(429);
  });

  it('takes its place in a sliding log by arrival, even if a later one is booked before', async () => {
    const clock = virtualClock({ wall: START });
    const slow = [3_000, 1_000];
    const service = createMockService({
      clock,
      windows: 'sliding-log',
      charge: 'after',
      keyless: { minute: 2 },
      latencyMs: () => ({ there: 0, processing: slow.shift() ?? 0, back: 0 }),
    });
    const first = service.fetch(URL_OF_INFO);
    await clock.advance(500);
    await clock.run(Promise.all([first, service.fetch(URL_OF_INFO)]));
    const refused = await service.fetch(URL_OF_INFO);
    expect(refused.headers.get('retry-after')).toBe('57');
  });

  it('is booked in the window of the arrival, even if that is over', async () => {
    const clock = virtualClock({ wall: START });
    const latency = { there: 0, processing: 2_000, back: 0 };
    const service = createMockService({ clock, charge: 'after', keyless: { second: 1 }, latencyMs: () => latency });
    await clock.run(service.fetch(URL_OF_INFO));
    const { limited } = service.answer({ method: 'GET', url: URL_OF_INFO, headers: new Headers() });
    expect([clock.now(), limited]).toEqual([2_000, false]);
  });
});

describe('a charge before the answer', () => {
  it('refuses what does not fit, and takes what does', async () => {
    const ask = asked({ keyless: { minute: 5 } });
    expect(await ask(0, 4)).toBe('200 left 1 reset 30000');
    expect(await ask(0, 2)).toBe('429 left 1 reset 30000 wait 30');
    expect(await ask(0, 1)).toBe('200 left 0 reset 30000');
  });

  it('leaves refused requests uncounted, unless the service counts them', async () => {
    const kind = asked({ windows: 'sliding-log', keyless: { minute: 1 } });
    const strict = asked({ windows: 'sliding-log', keyless: { minute: 1 }, countRefused: true });
    for (const ask of [kind, strict]) expect(await ask(0)).toMatch(/^200/);
    expect(await kind(30_000)).toMatch(/^429.* wait 30$/);
    expect(await strict(30_000)).toMatch(/^429.* wait 60$/);
    expect(await kind(60_000)).toMatch(/^200/);
    expect(await strict(60_000)).toMatch(/^429/);
  });
});
