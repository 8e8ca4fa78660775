import type { Admission, Charge, Hold, Lease, Limit, Reason } from '../../../src/quota/admission.ts';
import { FirstRequestModel } from '../../../src/quota/models/first-request.ts';
import type { WindowReading } from '../../../src/quota/models/model.ts';
import { ServerClock } from '../../../src/quota/time/server-clock.ts';
import type { AnsweredRequests } from '../../../src/quota/usage/answered.ts';
import { KnownUsage } from '../../../src/quota/window/shape/known-usage.ts';
import { RecentReadings } from '../../../src/quota/window/shape/recent-readings.ts';

/** A charge of one unit for `GET /a`, save for what is said. */
export function charge(more: Partial<Charge> = {}): Charge {
  return { endpoint: 'GET /a', units: 1, priority: 0, ...more };
}

/** Until when a limit holds a charge back; `now`: it fits. */
export function untilOf(limit: Limit, charge: Charge, now: number): number {
  return limit.check(charge, now)?.until ?? now;
}

/** An admission with the facts of its hold at hand, and the reason said. */
export type Answered =
  | { readonly kind: 'granted'; readonly lease: Lease }
  | (Omit<Hold, 'reason'> & { readonly kind: 'wait'; readonly reason: Reason });

/** What an admission says, as plain facts. */
export function factsOf(admission: Admission): Answered {
  if (admission.kind === 'granted') return admission;
  return { ...admission.hold, kind: admission.kind, reason: admission.hold.reason() };
}

/** A clock of a service that is known to show what ours does, give or take 20 ms: the slack of a stamp. */
export function knownClock(): ServerClock {
  const clock = new ServerClock();
  clock.observe(0, 0, 0);
  clock.observe(-1_000, -1, -1);
  return clock;
}

/** What answers say of one window, each to a request of one unit while nothing else was under way, save for what is said. */
export function readingsOf(
  limit: number,
  roundTripMs: number,
): (sentAt: number, used: number, more?: Partial<WindowReading>) => WindowReading {
  const alone = { limit, own: 1, held: 0, settledSince: 0, limited: false };
  return (sentAt, used, more) => ({ ...alone, sentAt, receivedAt: sentAt + roundTripMs, used, ...more });
}

/** A window that the first request opens, which compares each reading with those before it, as candidates do. */
export class ReadFirstRequestModel extends FirstRequestModel {
  readonly #readings = new RecentReadings(60_000);

  override isContradicted(reading: WindowReading, answered: AnsweredRequests): boolean {
    return super.isContradicted(reading, new KnownUsage(answered, this.#readings));
  }

  override reconcile(reading: WindowReading, answered: AnsweredRequests): number {
    if (!reading.limited) this.#readings.add(reading);
    return super.reconcile(reading, answered);
  }
}
