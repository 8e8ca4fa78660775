import type { ResetWindow } from './limits/reset-window.ts';
import type { ServerClock } from './time/server-clock.ts';
import type { WindowEnd } from './time/window-end.ts';
import type { InFlight } from './usage/in-flight.ts';
import type { NamedWindow } from './window/named-window.ts';

/** One window as the pacer sees it. */
export interface WindowView {
  /** `second`, `minute`, `month`, …, or `endpoint` for a window that only `ratelimit-*` describes. */
  readonly window: string;
  /** Units that the window holds in all. */
  readonly limit: number;
  /** Units remaining by the service's latest headers. */
  readonly remaining: number;
  /** Whole units that may be sent now, by the client's own estimate. */
  readonly headroom: number;
}

/** A window with the facts that its figures rest on. */
export interface PacerWindow extends WindowView {
  /** When the request was sent whose answer `remaining` is from. */
  readonly seenAt: number;
  readonly end: WindowEnd;
  /** The names of its candidate shapes. */
  readonly shapes: readonly string[];
}

/** The pacer's state. Instants are monotonic milliseconds. */
export interface PacerView {
  readonly windows: readonly PacerWindow[];
  /** Requests under way. */
  readonly inFlight: number;
  /** Units held for the requests that may not have arrived yet. */
  readonly held: number;
  /** The pause that the service ordered, or that failures caused, if it is still in force. */
  readonly cooldown?: { readonly until: number; readonly why: string };
  /** How far the service's clock is ahead of ours: lower and upper bound, in milliseconds. */
  readonly lead?: { readonly least: number; readonly most: number };
}

/** Gathers the view from the parts. */
export function viewOf(
  windows: Iterable<NamedWindow>,
  endpointWindows: Iterable<ResetWindow>,
  flights: InFlight,
  pause: { readonly until: number; readonly why: string },
  clock: ServerClock,
  now: number,
): PacerView {
  return {
    windows: [
      ...Array.from(windows, (window) => ({
        window: window.period as string,
        limit: window.limit,
        remaining: window.remaining,
        headroom: Math.floor(window.headroom(now)),
        seenAt: window.seenAt,
        end: window.capacity.end(now),
        shapes: window.candidates.alive.map(({ shape }) => shape.name),
      })),
      ...Array.from(endpointWindows, (window) => ({
        window: 'endpoint',
        limit: window.limit,
        remaining: window.remaining,
        headroom: Math.floor(window.headroom(now)),
        seenAt: window.seenAt,
        end: window.end,
        shapes: [],
      })),
    ],
    inFlight: flights.open,
    held: flights.units,
    ...(pause.until > now ? { cooldown: { until: pause.until, why: pause.why } } : {}),
    ...(clock.known ? { lead: { least: clock.least(now) - now, most: clock.most(now) - now } } : {}),
  };
}
