import { type Bar, count, number, windowBars } from '../progress-bars.ts';
import { instant, span } from '../times.ts';
import type { QuotaReading } from './reading.ts';

/** Why no request may be sent, and until when. Epoch milliseconds by this machine's clock. */
export interface Exhaustion {
  readonly why: string;
  readonly retryAt: number;
}

/** One bar per window: units remaining, and when it resets. */
export function quotaBars({ windows, at }: QuotaReading): Bar[] {
  const rows = windows.map(({ window, limit, remaining, endsAt }) => {
    const isWhole = remaining >= limit || endsAt === undefined || endsAt <= at;
    return { window, limit, left: remaining, remark: isWhole ? undefined : `resets in ${span(endsAt - at)}` };
  });
  return windowBars(rows);
}

/** The lines below the bars: tightest window, cost, unreadable headers. */
export function remarks({ windows, binding, cost, malformed }: QuotaReading): string[] {
  const tightest = windows.find(({ window }) => window === binding);
  const lines: string[] = [];
  if (tightest) {
    const percent = tightest.limit > 0 ? Math.floor((tightest.remaining * 100) / tightest.limit) : 0;
    lines.push(`Tightest window: ${tightest.window}, ${percent} % left.`);
  }
  lines.push(
    cost === undefined
      ? 'The service did not report the cost of this request.'
      : `This request cost ${count(cost, 'unit')}.`,
  );
  if (malformed.length > 0) lines.push(`Unreadable headers: ${malformed.join(', ')}.`);
  return lines;
}

/** The same as one line of text, for output that cannot be redrawn. */
export function quotaSentence({ windows, at }: QuotaReading): string {
  const said = windows.map(({ window, remaining, limit }) => `${window} ${number(remaining)} of ${number(limit)}`);
  return `${instant(Math.floor(at / 1_000) * 1_000)} ${said.join(', ') || 'the quota is unknown'}`;
}

/** The same as one line of JSON, for programs: instants are in ISO 8601, and what is unknown is null. */
export function quotaJson(reading: QuotaReading, exhaustion: Exhaustion | undefined, under: readonly string[]): string {
  const { at, status, cost, binding, windows, malformed } = reading;
  const facts = {
    at: new Date(at),
    status,
    cost,
    binding,
    windows: windows.map(({ endsAt, ...window }) => ({ ...window, endsAt: dateOf(endsAt) })),
    malformed,
    under,
    exhausted: exhaustion !== undefined,
    why: exhaustion?.why,
    retryAt: dateOf(exhaustion?.retryAt),
  };
  return JSON.stringify(facts, (_, value) => value ?? null);
}

/** A date; an unknown one is invalid, which JSON writes as null. */
function dateOf(at: number = Number.NaN): Date {
  return new Date(at);
}
