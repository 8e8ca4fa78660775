import type { WindowUsage } from './limits/ledger.ts';
import type { HeaderLines } from './routes/page.ts';

/** Which headers the service sends. */
export interface ServiceHeaderOptions {
  /** `x-ratelimit-(limit|remaining)-stacks-<period>`. Default: true. */
  readonly family?: boolean | undefined;
  /**
   * `ratelimit-(limit|remaining|reset)`. They describe the window with the fewest units remaining, of equals the longer one; with
   * `'per endpoint ceiling'` the endpoint's own window, if it has one. Default: true.
   */
  readonly generic?: boolean | 'per endpoint ceiling' | undefined;
  /** `date`. Default: true. */
  readonly date?: boolean | undefined;
  /** `x-ratelimit-cost-stacks`. Default: true. */
  readonly cost?: boolean | undefined;
  /** `remaining` of a window with nothing left, on a refusal. The real service reportedly sent -1. Default: 0. */
  readonly exhausted?: 0 | -1 | undefined;
  /** Also on a 401 or 403 to an unknown key: such requests then count as requests without a key. Default: false. */
  readonly unknownKey?: boolean | undefined;
  /** Filters all these headers and `retry-after` by name (in lower case). Default: all are sent. */
  readonly only?: ((name: string) => boolean) | undefined;
}

/** Format of `ratelimit-reset`. */
export type ResetStyle = 'epoch-seconds' | 'epoch-ms' | 'seconds-left';

/** The state of a family of windows, after a request that cost so much. */
export interface FamilyReading {
  readonly name: string;
  readonly cost: number;
  readonly windows: readonly WindowUsage[];
}

/** Input of the gateway's headers. */
export interface Statement {
  readonly at: number;
  readonly families: readonly FamilyReading[];
  readonly ceiling: WindowUsage | undefined;
  readonly limited: boolean;
  readonly retryAfter: string | undefined;
}

/** Writes the gateway's headers. */
export function gatewayHeaders(said: Statement, shown: ServiceHeaderOptions, reset: ResetStyle): HeaderLines {
  const lines: HeaderLines = [];
  if (shown.date !== false) lines.push(['date', httpDate(said.at)]);
  const remainingOf = ({ remaining }: WindowUsage): string =>
    String(said.limited && remaining === 0 ? (shown.exhausted ?? 0) : remaining);
  for (const { name, cost, windows } of said.families) {
    if (shown.cost !== false) lines.push([`x-ratelimit-cost-${name}`, String(cost)]);
    if (shown.family === false) continue;
    for (const window of windows) {
      lines.push([`x-ratelimit-limit-${name}-${window.period}`, String(window.limit)]);
      lines.push([`x-ratelimit-remaining-${name}-${window.period}`, remainingOf(window)]);
    }
  }
  const ceiling = shown.generic === 'per endpoint ceiling' ? said.ceiling : undefined;
  const described = ceiling ?? tightest(said.families.flatMap(({ windows }) => windows));
  if (shown.generic !== false && described) {
    lines.push(
      ['ratelimit-limit', String(described.limit)],
      ['ratelimit-remaining', remainingOf(described)],
      ['ratelimit-reset', String(resetAs(reset, described.resetAt, said.at))],
    );
  }
  if (said.retryAfter !== undefined) lines.push(['retry-after', said.retryAfter]);
  const { only } = shown;
  return only ? lines.filter(([name]) => only(name)) : lines;
}

let lastSecond = 0;
let lastDate = '';

/** Formats an instant as an HTTP-date, truncated to the second. The last result is cached. */
export function httpDate(at: number): string {
  const second = Math.floor(at / 1_000);
  if (second !== lastSecond || lastDate === '') {
    lastSecond = second;
    lastDate = new Date(at).toUTCString();
  }
  return lastDate;
}

function tightest(windows: readonly WindowUsage[]): WindowUsage | undefined {
  let found = windows[0];
  for (const window of windows) if (found && window.remaining <= found.remaining) found = window;
  return found;
}

function resetAs(style: ResetStyle, resetAt: number, at: number): number {
  if (style === 'epoch-seconds') return Math.ceil(resetAt / 1_000);
  return style === 'epoch-ms' ? Math.ceil(resetAt) : Math.max(1, Math.ceil((resetAt - at) / 1_000));
}
