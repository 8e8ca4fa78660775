import { describe, expect, it } from 'vitest';
import { forecast, type Work } from '../../../src/quota/forecast/forecast.ts';
import { calendar, ceiling, slots } from '../support/forecasts.ts';

describe('a forecast', () => {
  it('is that of the works before where a work has no requests: all that is under way has gone', () => {
    const ahead = { count: 10, cost: 1 };
    const minute = calendar('minute', 5)(0);
    expect(forecast([ahead, { count: 0, cost: 1 }], [minute], 0).sentAt).toEqual([60_000, 60_000]);
    expect(forecast([{ count: 0, cost: 1 }, ahead], [minute], 0).sentAt).toEqual([0, 60_000]);
  });

  it('is never where a window holds nothing, unless there is nothing to do', () => {
    const shut = [calendar('second', 5)(0), calendar('minute', 0)(0)];
    const never = { sentAt: [Infinity], window: 'minute' };
    expect(forecast([{ count: 1, cost: 1 }], shut, 0)).toMatchObject(never);
    expect(forecast([{ count: 0, cost: 1 }], shut, 7)).toMatchObject({ sentAt: [7], window: undefined });
  });

  it('says that answers are awaited where nothing else is', () => {
    const slow = [calendar('minute', 50)(0), slots(4, 100)];
    expect(forecast([{ count: 4, cost: 1 }], slow, 0)).toMatchObject({ sentAt: [0], window: undefined });
    expect(forecast([{ count: 5, cost: 1 }], slow, 0)).toMatchObject({ sentAt: [100], window: 'concurrency' });
  });
});

describe('what a forecast says that is waited for', () => {
  const open = [ceiling('GET /few', 2, 60_000, 60_000)(0)];
  const few = { endpoint: 'GET /few', count: 4, cost: 1 };
  const other = { endpoint: 'GET /b', count: 4, cost: 1 };

  it('is the window of an endpoint for the last work alone', () => {
    expect(forecast([other, few], open, 0).window).toBe('endpoint');
    expect(forecast([few, other], open, 0).window).toBeUndefined();
  });

  it('is a window rather than answers, however long they take', () => {
    const slow = [calendar('minute', 5)(0), slots(6, 90_000)];
    expect(forecast([{ count: 10, cost: 1 }], slow, 0)).toMatchObject({ sentAt: [90_000], window: 'minute' });
  });
});

describe('requests that are to be sent by an instant', () => {
  const of = (...terms: readonly [count: number, by?: number][]): Work[] =>
    terms.map(([count, by]) => ({ count, cost: 1, by }));
  const minute = calendar('minute', 10)(0);

  it('are given up in their turn, the last of them, and hold nothing back', () => {
    const { late, sentAt } = forecast(of([25, 60_000], [10]), [minute], 0);
    expect(late).toEqual([5, 0]);
    // Five of the third minute go in the second at the latest: that of the first work is full.
    expect(sentAt[1]).toBe(120_000);
  });

  it('are all given up where they are never sent', () => {
    const { late, sentAt } = forecast(of([3, 1_000], [2]), [{ ...minute, limit: 0 }], 0);
    expect([late, sentAt[1]]).toEqual([[3, 2], Infinity]);
  });
});

describe('a forecast of units that become free one after the other', () => {
  it('sends works that follow one another and take the same as one, and tells of each when its last request goes', () => {
    const windows = [ceiling('GET /few', 3, 60_000, 60_000)(0), calendar('second', 10)(0)];
    const works = (endpoints: string) =>
      Array.from(endpoints, (name) => ({ endpoint: name === 'f' ? 'GET /few' : `GET /${name}`, count: 4, cost: 1 }));
    const alone = works('abcabfab').map((work, nth) => ({ ...work, by: 600_000 + nth }));
    const { sentAt, late } = forecast(alone, windows, 0);
    expect(forecast(works('abcabfab'), windows, 0)).toMatchObject({ sentAt, late });
    expect(new Set(sentAt).size).toBeGreaterThan(3);
    const givenUp = works('abcab').map((work) => ({ ...work, by: 500 }));
    expect(forecast(givenUp, windows, 0).late).toEqual([0, 0, 2, 4, 4]);
  });

  it('keeps when the last was sent of those that are given up, while others go on', () => {
    const windows = [ceiling('GET /few', 10, 60_000, 60_000)(0), ceiling('GET /slow', 1, 10_000, 10_000)(0)];
    const works = [
      { endpoint: 'GET /few', count: 15, cost: 1, by: 30_000 },
      { endpoint: 'GET /slow', count: 6, cost: 1 },
    ];
    expect(forecast(works, windows, 0)).toMatchObject({ sentAt: [0, 50_000], late: [5, 0] });
  });
});
