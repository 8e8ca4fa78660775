import { type Ask, type Charge, type Hold, type Limit, longestHold } from '../admission.ts';
import { HourlyTrial } from '../recovery/hourly-trial.ts';
import type { ShareLimit, SiblingFacts } from '../share-limit.ts';
import type { Flight, InFlight } from '../usage/in-flight.ts';
import { EachEndpoint } from './each-endpoint.ts';
import { InspectionPace } from './inspection-pace.ts';
import type { Pauses } from './pauses.ts';

/** What exemptions depend on. */
export interface ExemptionsDependencies {
  readonly flights: Pick<InFlight, 'open' | 'openOf'>;
  readonly pauses: Pauses;
  /** The windows as limits. */
  readonly windows: { readonly limits: readonly Limit[] };
  readonly shareLimit: Pick<ShareLimit, 'mayTry' | 'tellTrial'>;
}

/** What holds a request back. */
interface Held {
  /** The longest hold. */
  readonly hold: Hold;
  /** The longest of those that are neither a window's nor the share's. */
  readonly own: Hold | undefined;
}

/** The requests that may go although a limit forbids it: inspections of the quota, and one request an hour while the quota is used up, or an endpoint pauses. */
export class Exemptions {
  readonly #dependencies: ExemptionsDependencies;
  readonly #inspectionPace = new InspectionPace();
  readonly #hourlyTrial = new HourlyTrial();
  /** Those of endpoints that pause alone. */
  readonly #ofEndpoints = new EachEndpoint(() => new HourlyTrial());

  constructor(dependencies: ExemptionsDependencies) {
    this.#dependencies = dependencies;
  }

  /** When the next hourly trial is due unless an answer comes before, in monotonic milliseconds. */
  get triesAt(): number {
    let at = this.#hourlyTrial.dueAt;
    for (const { dueAt } of this.#ofEndpoints.all) at = Math.min(at, dueAt);
    return at;
  }

  /** What still holds a request back; undefined: nothing, it goes although a limit forbids it. */
  holdLeft(ask: Ask, charge: Charge, held: Held, now: number): Hold | undefined {
    if (ask.isInspection) return this.#inspectionHold(charge, held.hold, now);
    return !ask.isOneShot && this.#mayTry(charge, held, now) ? undefined : held.hold;
  }

  /** An inspection passes what only time can end, but no pause of the caller's own, and waits for all else that an answer ends. */
  #inspectionHold(charge: Charge, hold: Hold, now: number): Hold | undefined {
    const isPassing = hold.isFirm || hold.until === Infinity;
    const { manual } = this.#dependencies.pauses;
    const other = manual.check(charge, now) ?? (isPassing ? this.#inspectionPace.check(charge, now) : hold);
    return other && { ...other, isFirm: false };
  }

  /** Whether a charge goes as an hourly trial: nothing else is under way, or of its endpoint that pauses alone, and the caller has ordered no pause. */
  #mayTry(charge: Charge, { hold, own }: Held, now: number): boolean {
    const { flights, pauses, windows, shareLimit } = this.#dependencies;
    const { endpoint } = charge;
    if (hold.until === pauses.endpoints.untilOf(endpoint)) {
      const isDue = this.#ofEndpoints.of(endpoint).isDue(hold, now) && flights.openOf(endpoint) === 0;
      return isDue && !longestHold([pauses.ordered, pauses.outages, pauses.manual, ...windows.limits], charge, now);
    }
    if (!this.#hourlyTrial.isDue(hold, now) || flights.open > 0 || pauses.manual.check(charge, now)) return false;
    const isExhausted = !own || longestHold([pauses.ordered, ...windows.limits], charge, now)?.isFirm === true;
    return isExhausted && shareLimit.mayTry(now, this.#hourlyTrial.isFollowing);
  }

  /** A request goes although a limit forbids it. */
  onSent({ isInspection }: Ask, flight: Flight, now: number): void {
    if (isInspection) this.#inspectionPace.onSent(flight, now);
    else this.#hourlyTrial.reset(now);
    this.#ofEndpoints.get(flight.endpoint)?.reset(now);
  }

  /** A request was answered. */
  onAnswer({ endpoint }: Pick<Flight, 'endpoint'>, now: number): void {
    this.#hourlyTrial.reset(now);
    this.#ofEndpoints.get(endpoint)?.reset(now);
  }

  /** Any request was served, and not by a cache. */
  onServed(): void {
    this.#inspectionPace.onServed();
  }

  /** An exempt request was answered. A refusal was expected; news is a success that shows that units are left in spite of any pause. */
  onExempt(flight: Flight, isNews: boolean, now: number): void {
    const { pauses, shareLimit } = this.#dependencies;
    const isOfAll = flight.sentAt >= pauses.endpoints.untilOf(flight.endpoint);
    if (isNews) {
      pauses.ordered.end(now);
      pauses.endpoints.end(flight, now);
    }
    if (isOfAll) shareLimit.tellTrial(isNews);
  }

  /** A sibling process had an answer to its hourly trial. */
  learn(trial: NonNullable<SiblingFacts['trial']>): void {
    this.#hourlyTrial.learn(trial);
  }
}
