import type { ReasonKind } from '../admission.ts';
import type { Bulkhead } from '../limits/bulkhead.ts';
import type { Costs } from '../limits/costs.ts';
import type { Pauses } from '../limits/pauses.ts';
import type { Shape } from '../models/model.ts';
import type { ShareLimit } from '../share-limit.ts';
import { endOf, periodMsOf } from '../time/periods.ts';
import type { ServerClock } from '../time/server-clock.ts';
import type { Concurrency } from '../usage/concurrency.ts';
import type { ResetWindow } from '../window/by-reset/reset-window.ts';
import type { NamedWindow } from '../window/named-window.ts';
import { forecast } from './forecast.ts';
import type { ForecastWindow, Release } from './level.ts';
import type { Throughput } from './throughput.ts';

/** Requests of one kind that are to be made. */
export interface Plan {
  /** Omitted: any endpoint; the plan then counts against every endpoint-specific limit. */
  readonly endpoint?: string | undefined;
  readonly count: number;
  /** The query of one of them, which may decide what each will cost. */
  readonly query?: string | undefined;
  /** Units that each will cost, where the caller knows better than experience. */
  readonly cost?: number | undefined;
  /** Those that are not sent by this instant, in monotonic milliseconds, are given up. Omitted: all are sent. */
  readonly by?: number | undefined;
}

/** The estimate for a list of plans, the last of them unless it says otherwise. Instants are monotonic milliseconds. */
export interface PlanEstimate {
  /** When the last request will be answered; Infinity: never. */
  readonly at: number;
  /** When the last request will be sent; Infinity: never. */
  readonly sentAt: number;
  /** The same for each plan. */
  readonly each: readonly number[];
  /** How many requests of each plan are not sent. */
  readonly late: readonly number[];
  /** The longest window that has to be waited out, the kind of a pause, or `concurrency`; undefined if nothing is waited for but answers. */
  readonly window: string | undefined;
  /** How long it is, in milliseconds; 0: it is no window. */
  readonly windowMs: number;
}

/** What is used of a window is looked at in so many pieces. */
const PIECES = 16;

/** Inputs of an estimate. */
export interface EstimateInputs {
  readonly windows: Iterable<NamedWindow>;
  readonly resetWindows: Iterable<ResetWindow>;
  readonly clock: ServerClock;
  /** The pause that nothing may be sent in, until it ends. */
  readonly pause: { readonly until: number; readonly kind: ReasonKind };
  /** Those that hold back one endpoint alone. */
  readonly pauses: Pick<Pauses, 'ofEndpoint'>;
  readonly costs: Costs;
  readonly throughput: Throughput;
  readonly concurrency: Readonly<Concurrency>;
  readonly bulkhead: Pick<Bulkhead, 'fullOf'>;
  readonly shareLimit: Pick<ShareLimit, 'likely'>;
  /** Whether units are free as soon as any candidate shape frees them. Otherwise a window that may end on the calendar is taken to do so. */
  readonly isBest: boolean;
}

/**
 * When the last request of the last plan will be answered, if those of the plans before go first, at the costs and round trips seen so
 * far and without other consumers. A window that may end on the calendar is taken to do so, until that is ruled out.
 *
 * @returns undefined while no limit is known.
 */
export function estimate(plans: readonly Plan[], known: EstimateInputs, now: number): PlanEstimate | undefined {
  const { pause, costs, throughput, concurrency } = known;
  const { roundTripMs } = throughput;
  if (roundTripMs === undefined) return undefined;
  const begin = Math.max(now, pause.until);
  const origin = originOf(known.clock, now);
  const windows = [...namedWindowsOf(known, now, origin), ...resetWindowsOf(known, now, origin)];
  if (roundTripMs > 0) {
    windows.push(slotsOf(concurrency, roundTripMs, now));
    for (const endpoint of new Set(plans.map((plan) => plan.endpoint))) {
      const full = endpoint === undefined ? undefined : known.bulkhead.fullOf(endpoint);
      if (full) windows.push(slotsOf(full, roundTripMs, now, endpoint));
    }
  }
  const works = plans.map((plan) => {
    const { endpoint, query, count, cost, by = Infinity } = plan;
    const held = cost === undefined && endpoint !== undefined ? costs.expect(endpoint, query).certain : cost;
    const own = known.pauses.ofEndpoint(endpoint);
    const from = Math.max(now, own.until);
    return { endpoint, count, cost: costs.mean(plan), held, by: by - from, from, kind: own.kind };
  });
  const { sentAt, late, window, windowMs } = forecast(works, windows, begin - now);
  const each = works.map(({ from }, nth) => Math.max(now + (sentAt[nth] ?? 0), from));
  const last = each.at(-1) ?? begin;
  const { kind, from = now } = works.at(-1) ?? {};
  const pausedBy = begin > now ? pause.kind : kind;
  const waitsFor = window ?? (Math.max(begin, from) > now ? pausedBy : undefined);
  return { at: last + roundTripMs, sentAt: last, each, late, window: waitsFor, windowMs };
}

/** Now, by the service's clock: the middle of what it may show, which near a boundary is most likely on the right side. Without one, all windows are treated as beginning now: the latest that they can end. */
function originOf(clock: ServerClock, now: number): number {
  return clock.known ? (clock.least(now) + clock.most(now)) / 2 : 0;
}

function* namedWindowsOf(
  { windows, shareLimit, clock, isBest }: EstimateInputs,
  now: number,
  origin: number,
): Generator<ForecastWindow> {
  for (const window of windows) {
    const { period } = window;
    const limit = shareLimit.likely(period, window.limit, now);
    const periodMs = periodMsOf(period);
    const shapes = isBest ? window.candidates.shapes.alive : shapesOf(window);
    const release = (at: number, units: number, lastAt: number): Omit<Release, 'units'> => {
      const drainMs = (units / limit) * periodMs;
      const endsAt = endOf(period, origin + at) - origin;
      const use = { at, periodMs, endsAt, lastAt, drainMs };
      const frees = shapes.map((shape) => shape.frees?.(use) ?? ([at + periodMs, at + periodMs] as const));
      // The first unit may be free soonest by another shape than the last.
      if (isBest) return { from: Math.min(...frees.map(([from]) => from)), to: Math.min(...frees.map(([, to]) => to)) };
      const [from, to] = frees.reduce((latest, one) => (one[1] > latest[1] ? one : latest), frees[0] ?? [at, at]);
      return { from, to };
    };
    const part = limit / window.limit || 0;
    if (isBest) {
      yield { window: period, limit, periodMs, used: soonestOf(window, now, part), release };
      continue;
    }
    // By the calendar nothing is used of a window that began since, whatever the more cautious shapes still count.
    const isPlaced = clock.known && endOf(period, clock.least(now)) === endOf(period, clock.most(now));
    const used = shapes.some(({ isCalendar }) => isCalendar) ? [] : usedOf(window, shapes, now, part);
    const headroom = now < window.keptUntil ? 0 : window.headroom(now, isPlaced ? shapes : undefined);
    const rest = used.reduce((left, { units }) => left - units, limit - headroom * part);
    if (rest > 0) used.push({ ...release(0, rest, used.at(-1)?.to ?? 0), units: rest });
    yield { window: period, limit, periodMs, used: used.sort((one, other) => one.to - other.to), release };
  }
}

/** The shapes by which a window is forecast: the calendar's as long as it may have that. */
function shapesOf({ shapes, candidates }: NamedWindow): readonly Shape[] {
  const calendar = candidates.shapes.alive.filter(({ isCalendar }) => isCalendar);
  return calendar.length > 0 ? calendar : shapes;
}

/** When the units that are used of a window are free again at the soonest, by any of its candidate shapes, if requests under way take none. */
function soonestOf({ candidates, limit, period }: NamedWindow, now: number, part: number): Release[] {
  const { alive } = candidates;
  const spent = Math.min(limit, ...alive.map((model) => model.spent(now)));
  const freeIn = (units: number): number =>
    Math.min(periodMsOf(period), ...alive.map((model) => model.earliest(units, 0, limit, now) - now));
  return piecesOf(spent, limit, part, true, freeIn);
}

/** When the units that are used of a window are free again, by its shapes. */
function usedOf(window: NamedWindow, shapes: readonly Shape[], now: number, part: number): Release[] {
  const spent = Math.min(window.limit, window.capacity.spent(now));
  const isEven = shapes.every(({ sinksSteadily }) => sinksSteadily);
  return piecesOf(spent, window.limit, part, isEven, (units) => {
    const at = window.capacity.earliest(units, 0, window.limit, now) - now;
    return Number.isFinite(at) ? at : periodMsOf(window.period);
  });
}

/** What is spent of a window, in pieces. `isEven`: a piece is freed evenly since the one before; `freeIn`: how long until so many units are free. */
function piecesOf(
  spent: number,
  limit: number,
  part: number,
  isEven: boolean,
  freeIn: (units: number) => number,
): Release[] {
  const pieces = Math.min(PIECES, Math.ceil(spent));
  const used: Release[] = [];
  for (let nth = 1; nth <= pieces; nth++) {
    const to = freeIn(Math.min(limit, limit - spent + (spent * nth) / pieces));
    used.push({ from: isEven ? (used.at(-1)?.to ?? 0) : to, to, units: (spent / pieces) * part });
  }
  return used;
}

function* resetWindowsOf({ resetWindows }: EstimateInputs, now: number, origin: number): Generator<ForecastWindow> {
  for (const window of resetWindows) {
    const { limit, periodMs } = window;
    // Where no reset is named, it is guessed to come with the next full minute.
    const end = (window.end.to ?? now + endOf('minute', origin) - origin) - now;
    yield {
      window: 'endpoint',
      limit,
      periodMs,
      countsRequests: !window.requests.inUnits,
      used: [{ from: end, to: end, units: limit - window.headroom(now) }],
      release: (at) => {
        const next = end + Math.max(0, Math.floor((at - end) / periodMs) + 1) * periodMs;
        return { from: next, to: next };
      },
      covers: (endpoint) => endpoint === undefined || window.requests.has(endpoint),
    };
  }
}

/**
 * The requests that may be under way at a time, of all endpoints or of one. Those that are will be answered one after the other within a round
 * trip. While they are as many as may be and none is answered, they are late, and expected to be so for as long again.
 */
function slotsOf(
  { limit, open, sentAt }: EstimateInputs['concurrency'],
  periodMs: number,
  now: number,
  endpoint?: string,
): ForecastWindow {
  const release = (at: number) => ({ from: at + periodMs, to: at + periodMs });
  const from = open < limit ? 0 : Math.max(0, now - sentAt - periodMs);
  const used = open > 0 ? [{ from, to: from + periodMs, units: Math.min(open, limit) }] : [];
  const covers = (one?: string) => endpoint === undefined || one === undefined || one === endpoint;
  return { window: 'concurrency', limit, periodMs, countsRequests: true, used, release, covers };
}
