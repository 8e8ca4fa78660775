import type { Clock } from '../clock.ts';
import type { CallEvent, CallStoryEvent, ClientEvent } from '../events.ts';
import type { Ask, Lease, Reason } from '../quota/admission.ts';

/** What a call waits for. */
export interface Wait {
  /** When it asks again, if nothing lets it ask before: monotonic milliseconds. */
  readonly until: number;
  readonly reason: Reason;
  /** Whether it stepped out of the line, so that it holds up nobody. */
  readonly isAside: boolean;
}

/** What came of the last wait, and when the request left. */
interface Trip {
  readonly waitedMs: number;
  readonly waitedFor: Reason | undefined;
  leftAt: number | undefined;
}

/** Who tells what happens. */
export interface Teller {
  readonly clock: Clock;
  /** What the line last stood still for. */
  readonly standstill: Wait | undefined;
  /** Calls that stand in line behind the first. */
  readonly behind: number;
  /** Whether anybody would hear of such an event. */
  isHeard(type: ClientEvent['type']): boolean;
  tell(event: ClientEvent): void;
  /** The line stands still. */
  halt(wait: Wait): void;
  /** A call is over. */
  end(journey: Journey): void;
}

type Without<Event, Keys extends PropertyKey> = Event extends unknown ? Omit<Event, Keys> : never;

/** What there is to say of an event beside what all of them say. */
type Facts = Without<CallStoryEvent, keyof CallEvent>;

/** One call's way through the client: where it is now, and what there is to tell on the way. Many wait at a time, so it is small. */
export class Journey {
  readonly number: number;
  readonly ask: Ask;
  readonly label: string | undefined;
  /** When the call was made: monotonic milliseconds. */
  readonly begunAt: number;
  readonly #teller: Teller;
  /** When it came back into the line, or will after its pause. */
  #returnedAt: number | undefined;
  #wait: Wait | undefined;
  /** Undefined while it waits to be sent. */
  #trip: Trip | undefined;

  constructor(teller: Teller, number: number, ask: Ask, label: string | undefined) {
    this.#teller = teller;
    this.number = number;
    this.ask = ask;
    this.label = label;
    this.begunAt = teller.clock.now();
    this.#tell({ type: 'called', priority: this.priority });
  }

  get priority(): number {
    return this.ask.priority ?? 0;
  }

  /** Whether it waits to be sent. */
  get isWaiting(): boolean {
    return this.#trip === undefined;
  }

  /** Whether it was sent before, so that it goes in front of those that came later. */
  get isReturning(): boolean {
    return this.#returnedAt !== undefined;
  }

  /** When it came into the line, or will after its pause: monotonic milliseconds. */
  get joinedAt(): number {
    return this.#returnedAt ?? this.begunAt;
  }

  /** What it waits for by itself, at the gate or out of the line; undefined while it only stands in line. */
  get wait(): Wait | undefined {
    return this.#wait;
  }

  /** Time since the present request left, in milliseconds; undefined if it has not. */
  get outMs(): number | undefined {
    const leftAt = this.#trip?.leftAt;
    return leftAt === undefined ? undefined : this.#teller.clock.now() - leftAt;
  }

  /** It stands still at the gate, or steps aside. */
  waits(wait: Wait): void {
    this.#wait = wait;
    if (!wait.isAside) this.#teller.halt(wait);
    if (!this.#teller.isHeard('waiting')) return;
    const { until, reason, isAside: aside } = wait;
    const { clock, behind } = this.#teller;
    const instant = new Date(clock.wall() + until - clock.now());
    this.#tell({ type: 'waiting', until: instant, reason, aside, waiting: behind });
  }

  /** The gate let it pass. */
  passes(): void {
    const { clock, standstill } = this.#teller;
    const wait = this.#wait ?? (standstill && standstill.until > this.joinedAt ? standstill : undefined);
    const waitedMs = Math.max(0, clock.now() - this.joinedAt);
    this.#trip = { waitedMs, waitedFor: waitedMs > 0 ? wait?.reason : undefined, leftAt: undefined };
    this.#wait = undefined;
  }

  /** A request leaves. */
  leaves(attempt: number, { units }: Lease, method: string, url: URL): void {
    const trip = this.#trip;
    if (!trip) return;
    trip.leftAt = this.#teller.clock.now();
    if (!this.#teller.isHeard('sent')) return;
    const { waitedMs, waitedFor } = trip;
    const waited = waitedFor ? { waitedMs, waitedFor } : { waitedMs };
    this.#tell({ type: 'sent', attempt, units, method, url: url.href, ...waited });
  }

  /** The call goes again, back into the line after so many milliseconds. */
  returns(attempt: number, afterMs: number): void {
    this.#trip = undefined;
    this.#returnedAt = this.#teller.clock.now() + afterMs;
    this.#tell({ type: 'retrying', attempt, afterMs });
  }

  /** The call has its answer. */
  arrives(status: number): void {
    this.#teller.end(this);
    this.#tell({ type: 'done', status, tookMs: this.#tookMs });
  }

  /** The call ends without one. */
  fails(reason: unknown, signal: AbortSignal | undefined): void {
    this.#teller.end(this);
    const isAborted = signal?.aborted === true && reason === signal.reason;
    const error = isAborted || !(reason instanceof Error) ? 'aborted' : reason.name;
    this.#tell({ type: 'failed', error, tookMs: this.#tookMs });
  }

  /** Whether anybody would hear of such an event. */
  isHeard(type: ClientEvent['type']): boolean {
    return this.#teller.isHeard(type);
  }

  /** Tells of what is no news to the journey itself. */
  tell(facts: Facts & { readonly type: 'answered' | 'limited' | 'lost' }): void {
    this.#tell(facts);
  }

  get #tookMs(): number {
    return this.#teller.clock.now() - this.begunAt;
  }

  #tell(facts: Facts): void {
    if (!this.#teller.isHeard(facts.type)) return;
    const { number: call, label } = this;
    const { endpoint } = this.ask;
    const named = label === undefined ? {} : { label };
    const at = new Date(this.#teller.clock.wall());
    this.#teller.tell({ call, endpoint, ...named, at, ...facts } as ClientEvent);
  }
}
