import type { Cancellation } from '../../../src/http/cancellation.ts';
import { Failure } from '../../../src/http/failure.ts';
import { createKeyRing } from '../../../src/http/key-ring.ts';
import { createTransport, type Transport } from '../../../src/http/transport.ts';
import { cancelledBy } from '../../support/cancelled-by.ts';

export type Fetch = typeof globalThis.fetch;

export const ORIGIN = 'https://api.mock.test';
export const INFO: URL = new URL('/extended/v1/info', ORIGIN);

/** A cancellation that never comes. */
export const never: Cancellation = cancelledBy(new AbortController().signal);

/** A transport without a key whose requests a `fetch` answers. */
export const answering = (fetch: Fetch): Transport =>
  createTransport({ origin: ORIGIN, keys: createKeyRing(() => undefined), fetch });

/** A transport that reads bodies, and sends nothing. */
export const silent: Transport = answering(() => Promise.reject(new Error('nothing is sent here')));

/** Sends one request. */
export const get = (fetch: Fetch, signal: AbortSignal = never.signal): Promise<Response> =>
  answering(fetch).send({ method: 'GET', url: INFO.href }, cancelledBy(signal));

/** What a promise is rejected with, if it is a Failure. */
export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.catch((thrown: unknown) => thrown);
  if (error instanceof Failure) return error;
  throw new Error('It did not fail as the transport says that it fails.', { cause: error });
}

/** What {@link bodyOf} makes. */
interface Body {
  readonly seen: { readonly chunks: number; readonly cancelled: readonly unknown[] };
  readonly stream: ReadableStream<Uint8Array>;
}

/** A body that comes in chunks, and tells how many were asked for and why it was cancelled. */
export function bodyOf(chunks: Iterable<Uint8Array>, ending: 'close' | 'hang' | Error = 'close'): Body {
  const source = chunks[Symbol.iterator]();
  const seen = { chunks: 0, cancelled: [] as unknown[] };
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> | undefined => {
    const next = source.next();
    if (!next.done) {
      seen.chunks++;
      controller.enqueue(next.value);
    } else if (ending === 'close') controller.close();
    else if (ending === 'hang') return new Promise(() => {});
    else controller.error(ending);
    return undefined;
  };
  const cancel = (why: unknown): void => void seen.cancelled.push(why);
  return { seen, stream: new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 }) };
}
