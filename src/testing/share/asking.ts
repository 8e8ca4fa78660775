import type { Answer, ShareAsk, ShareStore, SlotAsk, WindowAsk } from '../../sharing/store/store.ts';

/** When a case begins: a stretch begins, and so does a minute. */
export const BEGIN: number = Date.UTC(2026, 2, 10, 12);

/** A window of 20 units, with everything in it that a test does not care about. */
export function windowAsk(rest: Partial<WindowAsk> = {}): WindowAsk {
  return { name: 'minute:1', limit: 20, kept: 0, ttlMs: 3_600_000, reading: -1, bounds: 'below', ...rest };
}

/** A slot in the first window of which a part is wished for. */
export function slotAsk(rest: Partial<SlotAsk> = {}): SlotAsk {
  return { name: '1', total: 0, wish: 1, to: 0, windows: [0], ...rest };
}

/** An ask for 5 units of one slot in one window, with everything in it that a test does not care about. */
export function asking(rest: Partial<ShareAsk> = {}): ShareAsk {
  return {
    ...{
      member: 'a',
      sequence: 1,
      version: 0,
      want: 5,
      need: 1,
      size: 20,
      chunk: 4,
      stayMs: 1_500,
      held: 0,
      urgent: 0,
      usual: 0,
      recentSince: BEGIN + 1e12,
    },
    slots: [slotAsk()],
    windows: [windowAsk()],
    ...rest,
  };
}

/** Asks that only tell: a total of one slot in one window. */
export function telling(total: number, rest: Partial<ShareAsk> = {}, window: Partial<WindowAsk> = {}): ShareAsk {
  return asking({ want: 0, slots: [slotAsk({ total, wish: 0 })], windows: [windowAsk(window)], ...rest });
}

/** Makes asks of one store, numbers them, and takes it that none is stale. */
export function asker(store: ShareStore): (ask?: Partial<ShareAsk>) => Promise<Answer> {
  const sequences = new Map<string, number>();
  return async (rest = {}) => {
    const member = rest.member ?? 'a';
    const sequence = (sequences.get(member) ?? 0) + 1;
    sequences.set(member, sequence);
    const answer = await store.take(asking({ ...rest, member, sequence }));
    if (answer === 'stale') throw new Error('The ask is stale');
    return answer;
  };
}
