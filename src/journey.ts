import type { Clock } from './clock.ts';
import type { CallEvent, ClientEvent } from './events.ts';
import type { Lease, Reason } from './quota/admission.ts';

/** What a call waits for. */
export interface Wait {
  /** When it asks again, if nothing lets it ask before: monotonic milliseconds. */
  readonly until: number;
  readonly reason: Reason;
  /** Whether it stepped out of the line, so that it holds up nobody. */
  readonly isAside: boolean;
}

/** The call that a journey is about. */
export interface Subject extends Pick<CallEvent, 'endpoint' | 'label'> {
  readonly priority: number;
}

/** Who tells what happens. */
export interface Teller {
  /** What the line last stood still for. */
  readonly standstill: Wait | undefined;
  /** Calls that stand in line behind the first. */
  readonly behind: number;
  /** Whether anybody would hear of such an event. */
  isHeard(type: ClientEvent['type']): boolean;
  /** The line stands still. */
  halt(wait: Wait): void;
  tell(event: ClientEvent): void;
}

type Without<Event, Keys extends PropertyKey> = Event extends unknown ? Omit<Event, Keys> : never;

/** What there is to say of an event beside what all of them say. */
type Facts = Without<ClientEvent, keyof CallEvent>;

/** One call's way through the client: where it is now, and what there is to tell on the way. */
export class Journey {
  readonly number: number;
  readonly subject: Subject;
  /** When the call was made: monotonic milliseconds. */
  readonly begunAt: number;
  readonly #teller: Teller;
  readonly #clock: Clock;
  /** When it came into the line, or will after its pause. */
  #joinedAt: number;
  #isReturning = false;
  /** Whether it waits to be sent; else a request of it is under way, or it is over. */
  #isWaiting = true;
  #wait: Wait | undefined;
  /** What came of its last wait. */
  #waitedMs = 0;
  #waitedFor: Reason | undefined;
  #leftAt: number | undefined;

  constructor(teller: Teller, subject: Subject, number: number, clock: Clock) {
    this.#teller = teller;
    this.#clock = clock;
    this.subject = subject;
    this.number = number;
    this.begunAt = clock.now();
    this.#joinedAt = this.begunAt;
    this.#tell({ type: 'called', priority: subject.priority });
  }

  /** Whether it waits to be sent. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Whether it was sent before, so that it goes in front of those that came later. */
  get isReturning(): boolean {
    return this.#isReturning;
  }

  /** When it came into the line, or will after its pause: monotonic milliseconds. */
  get joinedAt(): number {
    return this.#joinedAt;
  }

  /** What it waits for by itself, at the gate or out of the line; undefined while it only stands in line. */
  get wait(): Wait | undefined {
    return this.#wait;
  }

  /** Time since the present request left, in milliseconds; undefined if it has not. */
  get outMs(): number | undefined {
    return this.#leftAt === undefined ? undefined : this.#clock.now() - this.#leftAt;
  }

  /** It stands still at the gate, or steps aside. */
  waits(wait: Wait): void {
    this.#wait = wait;
    if (!wait.isAside) this.#teller.halt(wait);
    const { until, reason, isAside } = wait;
    const instant = new Date(this.#clock.wall() + until - this.#clock.now());
    this.#tell({ type: 'waiting', until: instant, reason, aside: isAside, waiting: this.#teller.behind });
  }

  /** The gate let it pass. */
  passes(): void {
    const { standstill } = this.#teller;
    const wait = this.#wait ?? (standstill && standstill.until > this.#joinedAt ? standstill : undefined);
    this.#waitedMs = Math.max(0, this.#clock.now() - this.#joinedAt);
    this.#waitedFor = this.#waitedMs > 0 ? wait?.reason : undefined;
    this.#wait = undefined;
    this.#leftAt = undefined;
    this.#isWaiting = false;
  }

  /** A request leaves. */
  leaves(attempt: number, { units }: Lease, method: string, url: URL): void {
    this.#leftAt = this.#clock.now();
    if (!this.#teller.isHeard('sent')) return;
    const waited = { waitedMs: this.#waitedMs, ...(this.#waitedFor && { waitedFor: this.#waitedFor }) };
    this.#tell({ type: 'sent', attempt, units, method, url: url.href, ...waited });
  }

  /** The call goes again, back into the line after so many milliseconds. */
  returns(attempt: number, afterMs: number): void {
    this.#isWaiting = true;
    this.#isReturning = true;
    this.#joinedAt = this.#clock.now() + afterMs;
    this.#tell({ type: 'retrying', attempt, afterMs });
  }

  /** Tells how the call ends, as soon as it does. */
  follow(work: Promise<{ readonly status: number }>, signal: AbortSignal | undefined): void {
    const tookMs = (): number => this.#clock.now() - this.begunAt;
    work.then(
      ({ status }) => this.#tell({ type: 'done', status, tookMs: tookMs() }),
      (reason: Error) => {
        this.#isWaiting = false;
        const error = signal?.aborted && reason === signal.reason ? 'aborted' : reason.name;
        this.#tell({ type: 'failed', error, tookMs: tookMs() });
      },
    );
  }

  /** Whether anybody would hear of such an event. */
  isHeard(type: ClientEvent['type']): boolean {
    return this.#teller.isHeard(type);
  }

  /** Tells of what is no news to the journey itself. */
  tell(facts: Facts & { readonly type: 'answered' | 'limited' | 'lost' }): void {
    this.#tell(facts);
  }

  #tell(facts: Facts): void {
    if (!this.#teller.isHeard(facts.type)) return;
    const { endpoint, label } = this.subject;
    const named = label === undefined ? {} : { label };
    const at = new Date(this.#clock.wall());
    this.#teller.tell({ call: this.number, endpoint, ...named, at, ...facts } as ClientEvent);
  }
}
