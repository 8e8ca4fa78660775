import type { Lease } from '../../../src/quota/admission.ts';
import { ClientWide } from '../../../src/quota/client-wide.ts';
import type { QuotaSnapshot } from '../../../src/quota/headers/snapshot.ts';
import { aligned } from '../../../src/quota/models/aligned.ts';
import type { Shape } from '../../../src/quota/models/model.ts';
import { Pacer, type PacerOptions } from '../../../src/quota/pacer.ts';
import { type Oracle, oracleOf } from './oracles.ts';

/** When a desk opens, by the pacer's own clock. */
export const ORIGIN = 1_000_000;
/** Twenty seconds into a minute. */
const WALL = Date.UTC(2026, 5, 15, 10, 20, 20);
const MINUTE_MS = 60_000;
/** By how much the service's clock is not known some minutes after the dates of two answers, in milliseconds. */
export const VAGUE_MS = 200;
export const ENDLESS: number = Infinity;

interface Answer {
  readonly endpoint?: string;
  readonly cost?: number;
  /** How long the request was under way, in milliseconds. */
  readonly tookMs?: number;
}

/** A pacer, and a service that counts units of a minute in one shape and answers at once. */
export class Desk {
  readonly pacer: Pacer;
  now: number = ORIGIN;
  readonly #minute: Oracle | undefined;
  readonly #limit: number;
  readonly #hasDate: boolean;

  constructor(
    limit: number,
    { shape = aligned, hasDate = true, ...options }: { shape?: Shape; hasDate?: boolean } & Partial<PacerOptions> = {},
  ) {
    this.pacer = new Pacer({ clientWide: new ClientWide(500), leaseMs: 9_000, shapes: [shape], ...options });
    this.#minute = limit > 0 ? oracleOf(shape.name as 'aligned', 'minute', limit) : undefined;
    this.#limit = limit;
    this.#hasDate = hasDate;
    // Two answers on either side of a second show the service's clock; the endpoint is none of the others.
    this.pass(-1);
    this.serve({ cost: 0, endpoint: 'GET /clock' });
    this.pass(1);
    this.serve({ cost: 0, endpoint: 'GET /clock' });
  }

  pass(ms: number): void {
    this.now += ms;
  }

  get wall(): number {
    return WALL + this.now - ORIGIN;
  }

  /** Whether a request may go now; if so, it is served. */
  serve({ endpoint = 'GET /a', cost = 1, tookMs = 0 }: Answer = {}, more: Partial<QuotaSnapshot> = {}): boolean {
    const admission = this.pacer.admit({ endpoint, cost, maxWaitMs: ENDLESS }, this.now);
    if (admission.kind !== 'granted') return false;
    this.#answer(admission.lease, { cost, tookMs }, more);
    return true;
  }

  #answer(lease: Lease, { cost = 1, tookMs = 0 }: Answer, more: Partial<QuotaSnapshot> = {}): void {
    this.#minute?.add(cost, this.wall);
    this.pass(tookMs);
    const remaining = this.#limit - (this.#minute?.used(this.wall) ?? 0);
    const date = Math.floor(this.wall / 1_000) * 1_000;
    const quota: QuotaSnapshot = {
      ...{ receivedAt: this.wall, malformed: [], unrecognised: {} },
      ...(this.#hasDate && { date }),
      stacks: { cost, ...(this.#minute && { minute: { limit: this.#limit, remaining } }) },
      ...more,
    };
    this.pacer.settle(lease, { kind: 'answered', quota, limited: false }, this.now);
  }

  /** When the last of so many requests is sent, from now, in milliseconds. */
  estimate(count: number, cost?: number, endpoint = 'GET /a'): number {
    const { sentAt } = this.pacer.estimate([{ endpoint, count, cost }], this.now) ?? {};
    return (sentAt ?? Number.NaN) - this.now;
  }

  /** Makes so many requests, one after the other as soon as the pacer grants them; when each is sent, from now. */
  make(count: number, cost: number): number[] {
    const from = this.now;
    const sentAt: number[] = [];
    while (sentAt.length < count) {
      const admission = this.pacer.admit({ endpoint: 'GET /a', cost, maxWaitMs: ENDLESS }, this.now);
      if (admission.kind === 'granted') {
        sentAt.push(this.now - from);
        this.#answer(admission.lease, { cost });
      } else this.now = Math.max(this.now + 0.01, Math.min(admission.hold.until, this.now + MINUTE_MS));
    }
    return sentAt;
  }
}
