import type { ServicePeriod } from './calendar.ts';
import type { WindowUsage } from './ledger.ts';
import type { HeaderLines } from './page.ts';

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
  /** Filters all these and `retry-after` by name (in lower case). Default: all are sent. */
  readonly only?: ((name: string) => boolean) | undefined;
}

/** Format of `ratelimit-reset`. */
export type ResetStyle = 'epoch-seconds' | 'epoch-ms' | 'seconds-left';

/** Input of the gateway's headers. */
export interface Statement {
  readonly at: number;
  readonly cost: number;
  readonly windows: readonly WindowUsage[];
  readonly ceiling: WindowUsage | undefined;
  readonly retryAfter: string | undefined;
}

const NAMES: Readonly<Record<ServicePeriod, { readonly limit: string; readonly remaining: string }>> = {
  second: names('second'),
  minute: names('minute'),
  hour: names('hour'),
  day: names('day'),
  month: names('month'),
};

/** Writes the gateway's headers. */
export function gatewayHeaders(said: Statement, shown: ServiceHeaderOptions, reset: ResetStyle): HeaderLines {
  const lines: HeaderLines = [];
  if (shown.date !== false) lines.push(['date', httpDate(said.at)]);
  if (shown.cost !== false) lines.push(['x-ratelimit-cost-stacks', String(said.cost)]);
  if (shown.family !== false) {
    for (const { period, limit, remaining } of said.windows) {
      lines.push([NAMES[period].limit, String(limit)], [NAMES[period].remaining, String(remaining)]);
    }
  }
  const described = (shown.generic === 'per endpoint ceiling' && said.ceiling) || tightest(said.windows);
  if (shown.generic !== false && described) {
    lines.push(
      ['ratelimit-limit', String(described.limit)],
      ['ratelimit-remaining', String(described.remaining)],
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

function names(period: ServicePeriod): { limit: string; remaining: string } {
  return { limit: `x-ratelimit-limit-stacks-${period}`, remaining: `x-ratelimit-remaining-stacks-${period}` };
}
