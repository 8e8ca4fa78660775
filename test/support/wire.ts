import { createClient } from '../../src/client/create-client.ts';
import type { CallOptions, ClientOptions } from '../../src/options/client-options.ts';
import { type VirtualClock, virtualClock } from '../../src/testing/index.ts';

/** A request that left, and how the test lets it end. */
export interface Sent {
  /** The name that the test gave to the call. */
  readonly name: string;
  readonly request: Request;
  answer(status?: number, headers?: Readonly<Record<string, string>>, body?: BodyInit | null): Promise<void>;
  fail(error: unknown): Promise<void>;
}

/** A client on a wire whose ends the test holds: nothing is answered unless by hand. */
export interface Wire {
  readonly clock: VirtualClock;
  readonly client: ReturnType<typeof createClient>;
  readonly sent: readonly Sent[];
  /** The names of the calls that left, in their order. */
  readonly names: () => string[];
  /** Makes a call, `getInfo` under a name, and lets it come as far as it does without time and answers. */
  call(name: string, options?: CallOptions): Promise<Called>;
  /** The latest request of the call of that name. */
  last(name: string): Sent;
}

/** A call under way. Its promise never rejects, so that it need not be awaited. */
export interface Called {
  /** What became of it: its status as a word, or the error. */
  readonly end: Promise<unknown>;
  /** The same, as far as it is known by now. */
  readonly now: () => unknown;
}

/** Plenty, said of one window. */
const QUOTA = { 'x-ratelimit-limit-stacks-minute': '1000', 'x-ratelimit-remaining-stacks-minute': '900' };

export function wire(options: ClientOptions = {}): Wire {
  const clock = virtualClock({ wall: Date.UTC(2026, 0, 15, 12, 0, 20, 500) });
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = (input) =>
    new Promise((resolve, reject) => {
      const request = input as Request;
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
      sent.push({
        name: request.headers.get('x-call') ?? '',
        request,
        answer(status = 200, headers = {}, body = status === 200 ? '{}' : null) {
          const date = new Date(clock.wall()).toUTCString();
          resolve(new Response(body, { status, headers: { date, ...QUOTA, ...headers } }));
          return clock.advance(0);
        },
        fail(error) {
          reject(error);
          return clock.advance(0);
        },
      });
    });
  const client = createClient({ baseUrl: 'https://api.mock.test', fetch, clock, random: () => 0, ...options });
  return {
    clock,
    client,
    sent,
    names: () => sent.map(({ name }) => name),
    async call(name, callOptions = {}) {
      let now: unknown = 'under way';
      const end = client.getInfo({ ...callOptions, headers: { 'x-call': name } }).then(
        () => (now = 'answered'),
        (error: unknown) => (now = error),
      );
      await clock.advance(0);
      return { end, now: () => now };
    },
    last(name) {
      const found = sent.findLast((one) => one.name === name);
      if (!found) throw new Error(`The call ${name} has not left.`);
      return found;
    },
  };
}
