import { type Clock, dateOf } from '../clock.ts';
import type { Reason } from '../quota/admission.ts';
import type { Plan } from '../quota/forecast/estimate.ts';
import { count, optionsParser, text } from '../validation/arguments.ts';
import type { CallTrace, Wait } from './call-trace.ts';

/** A waiting call: why it waits, since when, and its place in the queue. */
export interface QueuedCall {
  /** The number of the call, as its events have it. */
  readonly call: number;
  /** The endpoint of the call, such as `GET /extended/v1/info`. */
  readonly endpoint: string;
  /** The option `label` of the call, if given. */
  readonly label?: string;
  readonly priority: number;
  /** Its place in the queue: 1 goes next. Undefined while it is parked. */
  readonly place?: number;
  /** When the call was made, by this machine's wall clock. */
  readonly since: Date;
  /** Why it waits, or why the queue ahead of it stands still. Undefined while the queue moves, or during a pause between attempts. */
  readonly reason?: Reason;
  /**
   * When it will be sent: for the first call and parked ones when their wait ends at the latest, for the others by the estimate that
   * `client.estimate` makes, and no earlier than the first. Undefined for a call that is sent at the next answer, while no limit is known, and in a
   * pause without an end.
   */
  readonly until?: Date;
  /** The same as a sentence for people. */
  readonly why: string;
}

/** Selects waiting calls. */
export interface QueueOptions {
  /** Only calls with this label. Default: all. */
  readonly label?: string | undefined;
  /** Maximum number of calls, those that will be sent first: a whole number, 1 or more. Default: 100. */
  readonly limit?: number | undefined;
}

const queueOptions = optionsParser('options of queue', {
  label: text,
  limit: count,
});

/** When calls are sent, in monotonic milliseconds. */
export interface SendOutlook {
  /** When the last call of each plan is sent, by an estimate; undefined while no limit is known. */
  sentAt(plans: readonly Plan[]): readonly number[] | undefined;
  /** The end of the pause that the caller began; Infinity: it has none. */
  readonly pausedUntil: number;
}

/** What the view is made from. */
export interface ViewedQueue {
  /** The calls in progress, in the order they came. */
  readonly traces: Iterable<CallTrace>;
  /** The last standstill of the queue. */
  readonly standstill: Wait | undefined;
  readonly clock: Clock;
  readonly outlook: SendOutlook;
}

/**
 * Waiting calls in the order in which they will be sent; parked calls come last. Takes time in proportion to the calls that wait.
 *
 * @throws ConfigError if an option is invalid.
 */
export function queueView(
  { traces, standstill, clock, outlook }: ViewedQueue,
  options: QueueOptions = {},
): readonly QueuedCall[] {
  const { label, limit = 100 } = queueOptions(options);
  const now = clock.now();
  const waiting = Array.from(traces).filter(({ isWaiting }) => isWaiting);
  const isDelayed = ({ queuedAt }: CallTrace): boolean => queuedAt > now;
  const isParked = ({ wait }: CallTrace): boolean =>
    wait?.isParked === true && (wait.isOfEndpoint === true || wait.until > now);
  const isQueued = (trace: CallTrace): boolean => !isDelayed(trace) && !isParked(trace);
  const queued = waiting.filter(isQueued).sort(byTurn);
  const others = waiting.filter((trace) => !isQueued(trace));
  const parked = latestWaits(others);
  /** Each call with how many go before it; undefined: it is not in the queue. */
  const listed = [...queued.entries(), ...others.map((trace) => [undefined, trace] as const)]
    .filter(([, trace]) => label === undefined || trace.label === label)
    .slice(0, limit);
  // Parked calls count, too: what holds them back is a part of the estimate.
  const counted = waiting.filter((trace) => !isDelayed(trace)).sort(byTurn);
  const estimates = estimatesOf(counted, new Set(listed.map(([, trace]) => trace)), outlook);
  return listed.map(([before, trace]) => {
    const { number, ask, priority, calledAt, queuedAt } = trace;
    const ahead = before === undefined ? parked.get(ask.endpoint) : standstill;
    const wait = [trace.wait, ahead].find((one) => one && one.until > now);
    const estimated = before === 0 ? now : (estimates.get(trace) ?? now);
    const sentAt = isDelayed(trace) ? queuedAt : Math.max(endOf(wait, now), estimated);
    const isKnown = sentAt > now && outlook.pausedUntil < Infinity;
    return {
      call: number,
      endpoint: ask.endpoint,
      ...(trace.label !== undefined && { label: trace.label }),
      priority,
      ...(before !== undefined && { place: before + 1 }),
      since: dateOf(calledAt, clock),
      ...(wait && { reason: wait.reason }),
      ...(isKnown && { until: dateOf(sentAt, clock) }),
      why: isDelayed(trace) ? 'it pauses before its next attempt' : sentence(before, wait),
    };
  });
}

/** Of each endpoint the wait that ends last: of its parked calls one asks for all. */
function latestWaits(traces: readonly CallTrace[]): ReadonlyMap<string, Wait> {
  const latest = new Map<string, Wait>();
  for (const { ask, wait } of traces) {
    if (wait?.isOfEndpoint && !(wait.until <= (latest.get(ask.endpoint)?.until ?? 0))) latest.set(ask.endpoint, wait);
  }
  return latest;
}

/** The end of a wait. The next answer ends one for the requests under way: only what is forgotten takes until then. */
function endOf(wait: Wait | undefined, now: number): number {
  return !wait || wait.reason.kind === 'concurrency' ? now : wait.until;
}

/** When the calls in `listed` are sent; undefined: no limit is known. The calls between two of them are one plan where they are of one kind, which makes the estimate cheaper. */
function estimatesOf(
  waiting: readonly CallTrace[],
  listed: ReadonlySet<CallTrace>,
  outlook: SendOutlook,
): ReadonlyMap<CallTrace, number | undefined> {
  const plans: (Plan & { count: number })[] = [];
  const planOf = new Map<CallTrace, number>();
  let isOpen = false;
  for (const trace of waiting) {
    if (planOf.size === listed.size) break;
    const { endpoint, query, cost } = trace.ask;
    const last = plans.at(-1);
    if (isOpen && last?.endpoint === endpoint && last.query === query && last.cost === cost) last.count++;
    else plans.push({ endpoint, query, cost, count: 1 });
    isOpen = !listed.has(trace);
    if (!isOpen) planOf.set(trace, plans.length - 1);
  }
  const each = (plans.length > 0 && outlook.sentAt(plans)) || [];
  return new Map(Array.from(planOf, ([trace, plan]) => [trace, each[plan]]));
}

/** Higher priorities first; within a priority, by arrival. */
function byTurn(one: CallTrace, other: CallTrace): number {
  return other.priority - one.priority || one.ticket - other.ticket;
}

function sentence(before: number | undefined, wait: Wait | undefined): string {
  if (before === undefined)
    return `${wait?.reason.why ?? 'others of its endpoint go first'}; it is parked, so that other calls can pass`;
  const what = wait?.reason.why ?? 'the queue is moving';
  if (before === 0) return what;
  return before === 1 ? `1 call goes before it; ${what}` : `${before} calls go before it; ${what}`;
}
