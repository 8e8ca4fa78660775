import type { Call, Reply, Run } from '../call.ts';

/**
 * Lets identical calls that are made at the same time share one request. Identical calls differ in their signals at most: a call
 * with another priority or `maxWaitMs` may have to be sent sooner, and one with other options of `fetch` may get another answer, so it is not shared.
 */
export function coalesce(run: Run): Run {
  const underWay = new Map<string, CoalescedGet>();
  return (call) => {
    if (call.signal?.aborted) return Promise.reject(call.signal.reason);
    const name = nameOf(call);
    let shared = underWay.get(name);
    if (shared && shared.dispatcher !== dispatcherOf(call)) return run(call);
    if (!shared) {
      const made: CoalescedGet = new CoalescedGet(run, call, () => {
        if (underWay.get(name) === made) underWay.delete(name);
      });
      shared = made;
      underWay.set(name, made);
    }
    return shared.join(call.signal);
  };
}

/** A request for several callers. It is aborted when all of them are. */
class CoalescedGet {
  readonly #controller = new AbortController();
  readonly #reply: Promise<Reply>;
  readonly #onEnd: () => void;
  /** undici's option. */
  readonly dispatcher: unknown;
  #callers = 0;

  constructor(run: Run, call: Call, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.dispatcher = dispatcherOf(call);
    this.#reply = run({ ...call, signal: this.#controller.signal });
    this.#reply.then(onEnd, onEnd);
  }

  join(signal: AbortSignal | undefined): Promise<Reply> {
    this.#callers++;
    if (!signal) return this.#reply;
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        reject(signal.reason);
        if (--this.#callers > 0) return;
        // Before the abort, so that no call joins a request that is ending.
        this.#onEnd();
        this.#controller.abort(signal.reason);
      };
      signal.addEventListener('abort', abort);
      this.#reply.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    });
  }
}

function nameOf({ request, ask, maxQueueMs, timeoutMs, takesRefusals, redirect, masksKey }: Call): string {
  const { cost, maxWaitMs, priority } = ask;
  const terms = [cost, String(maxWaitMs), String(maxQueueMs), priority, timeoutMs, takesRefusals, redirect, masksKey];
  // An object, which has no text.
  const init = { ...request.init, dispatcher: undefined };
  return JSON.stringify([requestName(request), terms, init]);
}

function dispatcherOf({ request: { init } }: Call): unknown {
  return (init as { readonly dispatcher?: unknown } | undefined)?.dispatcher;
}

/** Tells requests of one method apart: by where they go and what they say in their headers. */
export function requestName({ url, headers = {} }: Call['request']): string {
  const said = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return JSON.stringify([url, said.toSorted()]);
}
