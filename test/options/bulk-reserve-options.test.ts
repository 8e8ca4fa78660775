import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { isConfigError } from '../../src/errors.ts';
import { type ReserveOptions, readReserve } from '../../src/options/bulk-reserve-options.ts';
import type { ClientOptions } from '../../src/options/client-options.ts';
import { mockWorld } from '../support/mock-world.ts';

const NOON = Date.UTC(2026, 0, 16, 12, 0, 20);

function reserving(options: NonNullable<ClientOptions['reserve']>, minute = 100) {
  return mockWorld({ latencyMs: 100, keyless: { minute, month: 31_000 } }, { reserve: options }, NOON);
}

describe('bulk work that leaves a reserve', () => {
  it('leaves a call that waits the part of the minute that it keeps', async () => {
    const { clock, service, client } = reserving({ share: { minute: 0.2 } });
    const bulk = Array.from({ length: 200 }, () => client.getInfo());
    await clock.advance(10_000);
    expect(service.requests).toBe(80);
    expect(client.queue({ limit: 1 })).toMatchObject([{ reason: { kind: 'reserve', window: 'minute' } }]);
    await clock.run(Promise.all(Array.from({ length: 20 }, () => client.getInfo({ priority: 1 }))));
    expect(clock.now()).toBeLessThan(15_000);
    await clock.run(Promise.all(bulk));
    expect(service.limited).toBe(0);
  });

  it('is told at once when the month has been spent faster than evenly, and until when', async () => {
    const { clock, service, client } = reserving({ spreadMonthUntil: new Date(Date.UTC(2026, 0, 31)) }, 30_000);
    service.spend(20_000);
    await clock.run(client.getInfo());
    const refusal = await clock.run(client.getInfo().catch((error: unknown) => error));
    expect(refusal).toMatchObject({
      name: 'QuotaExhaustedError',
      window: 'month',
      limit: 31_000,
      remaining: 10_999,
      why: expect.stringContaining('bulk work spends the month of 31000 units evenly until 2026-01-31T00:00:00.000Z'),
    });
    // 20,001 of 31,000 units are evenly gone after 19 days and 9 of 30 days.
    const { retryAt } = refusal as { retryAt: Date };
    expect(retryAt.toISOString()).toMatch(/^2026-01-20T08/);
    expect(await clock.run(client.getInfo({ priority: 1 }))).toMatchObject({ data: {} });
  });
});

describe('the options of the reserve', () => {
  it('have a default each', () => {
    expect(readReserve({ spreadMonthUntil: new Date(7) })).toEqual({
      forPriorityAbove: 0,
      share: { second: 0, minute: 0, hour: 0, day: 0, month: 0 },
      spreadMonthUntil: 7,
    });
    expect(readReserve({ share: 0.25 }).share).toEqual({
      second: 0.25,
      minute: 0.25,
      hour: 0.25,
      day: 0.25,
      month: 0.25,
    });
    expect(readReserve({ share: { minute: 0.5 }, forPriorityAbove: 5, spreadMonthUntil: new Date(7) })).toEqual({
      forPriorityAbove: 5,
      share: { minute: 0.5 },
      spreadMonthUntil: 7,
    });
  });

  const part =
    'a share of every window, from 0 up to but not including 1, or such a share by period: { minute: 0.2, month: 0.1 }';

  it.each([
    [{ share: 1 }, `reserve.share must be ${part}, not 1`],
    [{ share: -0.1 }, `reserve.share must be ${part}, not -0.1`],
    [
      { share: { minutes: 0.1 } },
      'reserve.share.minutes is not one of the periods: second, minute, hour, day, month. Did you mean minute?',
    ],
    [{ share: { minute: 20 } }, 'reserve.share.minute must be a share, from 0 up to but not including 1, not 20'],
    [{ share: [0.1] }, `reserve.share must be ${part}, not an array`],
    [{ forPriorityAbove: '1' }, 'reserve.forPriorityAbove must be a finite number, not "1"'],
    [{ spreadMonthUntil: '2026-01-31' }, 'reserve.spreadMonthUntil must be a Date, not "2026-01-31"'],
    [{ spreadMonthUntil: new Date(Number.NaN) }, 'reserve.spreadMonthUntil must be a Date, not an invalid Date'],
    [{ month: 1 }, 'reserve.month is not one of the reserve options: forPriorityAbove, share, spreadMonthUntil'],
    [{}, 'reserve must have a share, such as { share: 0.2 }, or spreadMonthUntil: else it reserves nothing'],
    [{ forPriorityAbove: 5 }, 'reserve must have a share, such as { share: 0.2 }, or spreadMonthUntil'],
    [7, 'reserve must be an object, not number'],
    [0, 'reserve must be an object, not number'],
    ['', 'reserve must be an object, not string'],
    [null, 'reserve must be an object, not null'],
    [[], 'reserve must be an object, not an array'],
  ])('refuse %o, saying what would be right', (options, message) => {
    const make = (): unknown => createClient({ reserve: options as ReserveOptions });
    expect(make).toThrow(message);
    try {
      make();
    } catch (error) {
      expect(isConfigError(error)).toBe(true);
    }
  });
});
