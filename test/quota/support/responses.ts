import { expect, test } from 'vitest';
import { type QuotaSnapshot, readQuota } from '../../../src/quota/headers/snapshot.ts';

export const DATE = 'Thu, 05 Nov 2026 10:00:00 GMT';
export const SERVER_NOW: number = Date.UTC(2026, 10, 5, 10);
/** The caller's clock is 7.25 seconds ahead, which shows from which of the two an instant was reckoned. */
export const RECEIVED_AT: number = SERVER_NOW + 7_250;

/** What a snapshot says beyond an empty one. */
export type Says = Partial<Omit<QuotaSnapshot, 'receivedAt'>>;

export function expectQuota(headers: Record<string, string> | [string, string][], says: Says): void {
  const empty: QuotaSnapshot = { receivedAt: RECEIVED_AT, stacks: {}, malformed: [], unrecognised: {} };
  expect(readQuota(new Headers(headers), RECEIVED_AT)).toEqual({ ...empty, ...says });
}

/** One test a row: what the thing described does, the headers of a response, and all that its snapshot says. */
export function rows(
  ...table: [does: string, headers: Record<string, string> | [string, string][], says: Says][]
): void {
  test.each(table)('%s', (_, headers, says) => expectQuota(headers, says));
}
