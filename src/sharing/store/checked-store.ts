import { wrongReturn } from '../../validation/arguments.ts';
import type { Answer, Facts, ShareAsk, ShareStore } from './store.ts';

/** What each operation returns, to be read after "must return"; `undefined`: nothing. */
const RETURNS = {
  take: "an Answer, or 'stale'",
  share: 'version, now and facts',
  look: "'granted', 'over', 'stale' or a number of milliseconds",
  resume: "'free', 'probe' or a number of milliseconds",
  endLook: undefined,
  pause: undefined,
  resumed: undefined,
} satisfies Record<keyof Omit<ShareStore, 'isNear'>, string | undefined>;

/**
 * A store that a caller has written. What it returns goes into the books of this process, so that an answer that is none counts as a failure of the store.
 *
 * @throws ConfigError if it is no store.
 */
export function checkedStore(store: ShareStore): ShareStore {
  const names = Object.keys(RETURNS) as (keyof typeof RETURNS)[];
  if (!names.every((name) => typeof store?.[name] === 'function'))
    throw wrongReturn('storeOf', `a store with the methods ${names.join(', ')}`, store);
  return {
    isNear: store.isNear,
    async take(ask) {
      const answer = await store.take(ask);
      return answer === 'stale' ? answer : checked('take', answer, isAnswer(answer, ask));
    },
    async share(version, tell) {
      const answer = await store.share(version, tell);
      return checked('share', answer, isShared(answer));
    },
    async look(member, version) {
      const answer = await store.look(member, version);
      return checked('look', answer, isAmount(answer) || ['granted', 'over', 'stale'].includes(answer));
    },
    endLook: async (member) => await store.endLook(member),
    pause: async (ms) => await store.pause(ms),
    async resume(member) {
      const answer = await store.resume(member);
      return checked('resume', answer, isAmount(answer) || ['free', 'probe'].includes(answer));
    },
    resumed: async () => await store.resumed(),
  };
}

function checked<T>(name: keyof typeof RETURNS, answer: T, isValid: boolean): T {
  if (isValid) return answer;
  throw wrongReturn(name, `${RETURNS[name]}`, answer);
}

function isAnswer(answer: Answer | null | undefined, { slots, windows }: ShareAsk): boolean {
  if (!isShared(answer)) return false;
  const { sequence, pauseMs, lookMs, others, live, urgent, usual = 0, granted, used, freeMs } = answer;
  const amounts = [sequence, pauseMs, lookMs, others, live, urgent?.units, urgent?.forMs, usual, freeMs];
  return amounts.every(isAmount) && areAmounts(granted, slots.length) && areAmounts(used, windows.length);
}

function isShared<T extends { version: number; now: number; facts: Facts | undefined }>(
  answer: T | null | undefined,
): answer is T {
  const { version, now, facts } = answer ?? {};
  return isAmount(version) && isAmount(now) && (!facts || facts instanceof Map);
}

function areAmounts(list: readonly unknown[] | undefined, count: number): boolean {
  return Array.isArray(list) && list.length === count && list.every(isAmount);
}

function isAmount(value: unknown): value is number {
  return Number.isFinite(value) && Number(value) >= 0;
}
