import type { ClientWide } from './client-wide.ts';
import type { WindowEnd } from './time/window-end.ts';
import type { InFlight } from './usage/in-flight.ts';
import type { Windows } from './window/windows.ts';

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
  /** Requests under way, with whichever key. */
  readonly inFlight: number;
  /** Units held for the requests that may not have arrived yet. */
  readonly held: number;
  /** The pause that the service ordered, or that failures caused, if it is still in force. */
  readonly cooldown?: { readonly until: number; readonly why: string };
  /** How far the service's clock is ahead of ours: lower and upper bound, in milliseconds. */
  readonly lead?: { readonly least: number; readonly most: number };
}

/** The parts of a pacer that its view is gathered from. */
interface ViewedParts {
  readonly windows: Pick<Windows, 'named' | 'byReset'>;
  readonly flights: Pick<InFlight, 'units'>;
  readonly pause: { readonly until: number; readonly why: string };
  readonly clientWide: Pick<ClientWide, 'clock' | 'concurrency'>;
}

/** Gathers the view from the parts. */
export function viewOf({ windows, flights, pause, clientWide }: ViewedParts, now: number): PacerView {
  const { clock, concurrency } = clientWide;
  const named = Array.from(windows.named, (window) => ({
    window: window.period,
    ...figuresOf(window, now),
    end: window.capacity.end(now),
    shapes: window.candidates.alive.map(({ shape }) => shape.name),
  }));
  const byReset = Array.from(windows.byReset, (window) => ({
    window: 'endpoint',
    ...figuresOf(window, now),
    end: window.end,
    shapes: [],
  }));
  return {
    windows: [...named, ...byReset],
    inFlight: concurrency.open,
    held: flights.units,
    ...(pause.until > now ? { cooldown: { until: pause.until, why: pause.why } } : {}),
    ...(clock.known ? { lead: { least: clock.least(now) - now, most: clock.most(now) - now } } : {}),
  };
}

/** What any window has. */
interface Figures extends Pick<PacerWindow, 'limit' | 'remaining' | 'seenAt'> {
  headroom(now: number): number;
}

function figuresOf(window: Figures, now: number): Omit<PacerWindow, 'window' | 'end' | 'shapes'> {
  const { limit, remaining, seenAt } = window;
  return { limit, remaining, headroom: Math.floor(window.headroom(now)), seenAt };
}
