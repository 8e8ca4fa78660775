import { describe, expect, it } from 'vitest';
import { Agenda } from './agenda.ts';
import { Dice } from './dice.ts';
import { type Reply, Service, type Terms } from './service.ts';
import { shortestPossible } from './shortest.ts';

const WALL = Date.UTC(2026, 5, 15, 10, 20, 40);

const terms: Terms = {
  shape: 'aligned',
  limits: { second: 3, minute: 5 },
  charges: 'before',
  startsAt: WALL,
  hasQuota: true,
  hasDate: true,
  reset: 'seconds',
  hasRetryAfter: true,
};

/** What a service replies to requests that arrive at these instants. */
function replies(
  changed: Partial<Terms>,
  arrivals: readonly number[],
  cost = 1,
): { replies: Reply[]; service: Service } {
  const agenda = new Agenda();
  const service = new Service({ ...terms, ...changed }, agenda);
  const replies: Reply[] = [];
  for (const at of arrivals) agenda.at(at, () => service.receive(cost, (reply) => replies.push(reply)));
  agenda.run();
  return { replies, service };
}

function refused(changed: Partial<Terms>, arrivals: readonly number[]): boolean[] {
  return replies(changed, arrivals).replies.map(({ isRefused }) => isRefused);
}

describe('the service of these tests', () => {
  it('refuses a client that ignores what remains', () => {
    expect(refused({}, [0, 1, 2, 3, 1_000, 1_001, 1_002])).toEqual([false, false, false, true, false, false, true]);
  });

  it('begins its windows on the calendar, or counts what is younger than a window', () => {
    const arrivals = [900, 901, 902, 1_000, 1_001];
    expect(refused({ limits: { second: 3 } }, arrivals)).toEqual([false, false, false, false, false]);
    expect(refused({ limits: { second: 3 }, shape: 'sliding-log' }, arrivals)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(refused({ limits: { second: 1 }, shape: 'sliding-log' }, [0, 999, 1_000])).toEqual([false, true, false]);
  });

  it('says what is left, what it cost, what time it is, and when the tightest window resets', () => {
    const [reply] = replies({}, [1_234], 2).replies;
    expect(Object.fromEntries(reply?.headers ?? [])).toEqual({
      date: 'Mon, 15 Jun 2026 10:20:41 GMT',
      'x-ratelimit-cost-stacks': '2',
      'x-ratelimit-limit-stacks-second': '3',
      'x-ratelimit-remaining-stacks-second': '1',
      'x-ratelimit-limit-stacks-minute': '5',
      'x-ratelimit-remaining-stacks-minute': '3',
      'ratelimit-limit': '3',
      'ratelimit-remaining': '1',
      'ratelimit-reset': `${WALL / 1_000 + 2}`,
    });
  });

  it('tells a reset as a timestamp in either unit or as what is left, and a refusal when to come back', () => {
    const reset = (changed: Partial<Terms>, header: string): unknown =>
      replies({ limits: { minute: 1 }, ...changed }, [0, 2_500]).replies[1]?.headers.get(header);
    expect(reset({ reset: 'milliseconds' }, 'ratelimit-reset')).toBe(`${WALL + 20_000}`);
    expect(reset({ reset: 'seconds left' }, 'ratelimit-reset')).toBe('18');
    expect(reset({ reset: 'never told' }, 'ratelimit-reset')).toBeNull();
    expect(reset({}, 'retry-after')).toBe('18');
    expect(reset({ hasRetryAfter: false }, 'retry-after')).toBeNull();
  });

  it('overshoots when it charges after its answers, and knows that it did', () => {
    const { replies: given, service } = replies({ charges: 'after' }, [0, 1, 2, 3, 4]);
    expect(given.map(({ isRefused }) => isRefused)).toEqual([false, false, false, false, false]);
    expect(given.map(({ headers }) => headers.get('x-ratelimit-remaining-stacks-second'))).toEqual([
      '2',
      '2',
      '2',
      '2',
      '2',
    ]);
    expect(service.isOverdrawn).toBe(true);
  });
});

describe('the shortest possible time', () => {
  const costs = (many: number): number[] => Array(many).fill(1);

  it('is none for what fits into the present windows', () => {
    expect(shortestPossible({ ...terms, limits: { minute: 5 } }, costs(5), 0)).toBe(0);
  });

  it('is up to the end of a calendar window, or until enough of a log has passed', () => {
    expect(shortestPossible({ ...terms, limits: { minute: 5 } }, costs(6), 0)).toBe(20_000);
    expect(shortestPossible({ ...terms, limits: { minute: 5 }, shape: 'sliding-log' }, costs(6), 0)).toBe(60_000);
    expect(shortestPossible(terms, costs(11), 0)).toBe(80_000);
  });
});

describe('the agenda', () => {
  it('lets everything happen in the order of its instants, and of one instant as it was put down', () => {
    const agenda = new Agenda();
    const dice = new Dice(1);
    const instants = Array.from({ length: 500 }, () => Math.floor(dice.roll() * 50));
    const happened: [number, number][] = [];
    for (const [place, at] of instants.entries()) agenda.at(at, () => happened.push([at, place]));
    agenda.run();
    expect(happened).toEqual(happened.toSorted(([a, m], [b, n]) => a - b || m - n));
    expect(happened.length).toBe(500);
    expect(agenda.now).toBe(Math.max(...instants));
  });
});
