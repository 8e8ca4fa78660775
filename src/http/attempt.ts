import type { Clock } from '../clock.ts';
import { ConnectionError } from '../errors.ts';
import type { Lease, RequestOutcome } from '../quota/admission.ts';
import { LONGEST_UNRECOGNISED, type QuotaSnapshot, readQuota } from '../quota/headers/snapshot.ts';
import type { Journey } from '../trace/call-trace.ts';
import { streamed } from './body-stream.ts';
import type { Call, Reply } from './call.ts';
import { type Deadline, setDeadline } from './deadline.ts';
import { KEY_REFUSED } from './key-breaker.ts';
import { drop, redirectOf } from './redirect.ts';
import { comesBack, type Ending, isDown, isLimitation, isSafe, type Tries } from './retry-policy.ts';
import { Failure, type Transport, unreadBody } from './transport.ts';

/** A call, and where it is. */
export interface Traveller extends Call {
  readonly journey: Journey;
}

/** How an attempt came down: what it means for the call, and the answer or the failure. */
export interface Landing {
  readonly ending: Ending;
  readonly reply?: Reply;
  readonly failure?: Failure;
}

/** What attempts are made with. */
export interface AttemptsOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Told what became of a lease, as soon as that is known. */
  readonly settle: (lease: Lease, outcome: RequestOutcome) => void;
  /** How far our reckoning is from what an answer says. */
  readonly drift: (lease: Lease, quota: QuotaSnapshot) => Readonly<Record<string, number>>;
}

/** Brings one request after the other over the wire and back. */
export class Attempts {
  readonly #options: AttemptsOptions;

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /** One attempt on the wire, from its lease to the end of its body, or to its beginning where it is wanted as it comes. */
  async make(call: Traveller, lease: Lease, tries: Tries): Promise<Landing> {
    const { transport } = this.#options;
    const { journey, request } = call;
    const deadline = setDeadline(this.#options.clock, call.timeoutMs, call.signal);
    let isSettled = false;
    const onLeave = (): void => journey.leaves(tries.attempts + 1, lease, request.method, request.url);
    try {
      call.signal?.throwIfAborted();
      const response = await transport.send({ ...request, signal: deadline.signal }, onLeave);
      const { status, statusText, headers } = response;
      const quota = withoutKey(readQuota(headers, this.#options.clock.wall()), headers, transport);
      const isLimited = isLimitation(response, quota, isSafe(request.method));
      const drift = journey.isHeard('answered') ? this.#options.drift(lease, quota) : {};
      isSettled = true;
      // With the headers, and not with the end of the body: siblings hear of a refusal at once.
      this.#options.settle(lease, {
        kind: 'answered',
        quota,
        limited: isLimited,
        failed: !isLimited && isDown(status),
      });
      journey.tell({ type: 'answered', status, tookMs: journey.outMs ?? 0, quota, drift });
      if (isLimited) journey.tell({ type: 'limited', status, quota });
      const redirect = isLimited ? undefined : redirectOf(response, request.url, call.redirect ?? 'follow');
      if (redirect && isEcho(redirect, transport)) {
        drop(response);
        throw new Failure('REDIRECT', false);
      }
      const ending: Ending = { kind: 'answered', status, isLimited, redirect };
      const head = { status, statusText, headers, quota, url: request.url, isRedirected: tries.hops > 0 };
      return { ending, reply: { ...head, ...(await this.#body(call, response, ending, tries, deadline)) } };
    } catch (error) {
      const isUnsent = journey.outMs === undefined || (error instanceof Failure && error.isUnsent);
      if (!isSettled)
        this.#options.settle(lease, {
          kind: isUnsent ? 'unsent' : 'lost',
          failed: error instanceof Failure && error.code !== KEY_REFUSED,
        });
      if (!(error instanceof Failure)) throw error;
      journey.tell({ type: 'lost', code: error.code, tookMs: journey.outMs ?? 0 });
      return { ending: { kind: 'failed', code: error.code }, failure: error };
    } finally {
      deadline.end();
    }
  }

  /** The body in the form that is wanted. That of an answer which nobody will see is not read. */
  async #body(
    call: Traveller,
    response: Response,
    { isLimited, redirect }: Ending & { kind: 'answered' },
    tries: Tries,
    deadline: Deadline,
  ): Promise<Pick<Reply, 'text' | 'bytes' | 'stream'>> {
    const { transport } = this.#options;
    const isLast = isLimited && !comesBack(response.status, tries.refusals + 1, isSafe(call.request.method));
    if (call.wants === 'none' || redirect || (isLimited && !(isLast && call.takesRefusals))) {
      drop(response);
      return { text: '' };
    }
    if (!response.ok) {
      const text = transport.read(response, deadline.signal).catch((error: unknown) => {
        // A refusal is one, though its words break off.
        if (isLimited && error instanceof Failure) return '';
        throw error;
      });
      return { text: transport.redact(await text) };
    }
    if (call.wants === 'text') return { text: await transport.read(response, deadline.signal) };
    if (call.wants === 'bytes') return { text: '', bytes: await transport.readBytes(response, deadline.signal) };
    const stream = unreadBody(response) && this.#streamed(call, response, tries.attempts + 1, deadline.leftMs());
    return { text: '', ...(stream && { stream }) };
  }

  #streamed(
    { ask, signal, journey }: Traveller,
    response: Response,
    attempts: number,
    leftMs: number,
  ): Reply['stream'] {
    const { endpoint } = ask;
    const lost = ({ code, cause }: Failure): ConnectionError => {
      journey.tell({ type: 'lost', code, tookMs: journey.outMs ?? 0 });
      return new ConnectionError({ endpoint, code, attempts, cause });
    };
    return streamed(response, {
      clock: this.#options.clock,
      leftMs,
      signal,
      lateness: () => lost(new Failure('TIMEOUT', false)),
      breakage: (error) => lost(this.#options.transport.failureOf(error)),
    });
  }
}

/** The same, should the service have echoed the key in a header that is not known. */
function withoutKey(quota: QuotaSnapshot, headers: Headers, { redact }: Transport): QuotaSnapshot {
  const names = Object.keys(quota.unrecognised);
  if (names.length === 0) return quota;
  const unrecognised: Record<string, string> = Object.create(null);
  for (const name of names) {
    // From the whole value: what was cut may be half of a key.
    const value = redact(headers.get(name) ?? '').slice(0, LONGEST_UNRECOGNISED);
    if (redact(name) === name) unrecognised[name] = value;
  }
  return { ...quota, unrecognised };
}

/** Whether a URL of the service has the key in it: events and answers show where a call went. */
function isEcho(url: URL, { redact }: Transport): boolean {
  const place = url.href.replace(url.origin, '');
  return redact(place) !== place;
}
