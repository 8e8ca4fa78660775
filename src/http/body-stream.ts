import type { Clock } from '../clock.ts';
import type { KeyMask } from './key-mask.ts';
import { cancel, unreadBody } from './read-body.ts';

/** Limits of a streamed body. */
export interface StreamBounds {
  readonly clock: Clock;
  /** Total time that reads may wait for the service, in milliseconds. */
  readonly leftMs: number;
  readonly signal: AbortSignal | undefined;
  /** Takes the key out, if given. */
  readonly mask?: KeyMask | undefined;
  /** The error of a read after that time. */
  readonly timeoutError: () => unknown;
  /** The error of a read after the connection broke. */
  readonly brokenError: (error: unknown) => unknown;
}

type Bodied = Response & { readonly body: ReadableStream<Uint8Array<ArrayBuffer>> };

/**
 * Streams the body of an answer, within bounds. The time-out runs only while a read is pending, so a caller may use the headers
 * and leave the body unread.
 */
export function bodyStream(
  response: Response,
  bounds: StreamBounds,
): ReadableStream<Uint8Array<ArrayBuffer>> | undefined {
  if (!unreadBody(response)) return undefined;
  const body = new BoundedBody(response as Bodied, bounds);
  const source = {
    // Some browsers have no byte streams. A BYOB reader is not available there.
    ...(typeof ReadableByteStreamController === 'function' && { type: 'bytes' }),
    start: (controller: ReadableByteStreamController) => body.start(controller),
    pull: () => body.pull(),
    cancel: (reason: unknown) => body.cancel(reason),
  };
  return new ReadableStream(source as UnderlyingByteSource, { highWaterMark: 0 });
}

/** Ends the listening of bodies that were collected unread. Made when it is needed, because not every runtime has it. */
let unread: FinalizationRegistry<() => void> | undefined;

class BoundedBody {
  /** The body is locked only when it is read: a response that is garbage-collected unread releases its connection. */
  readonly #response: Bodied;
  readonly #bounds: StreamBounds;
  #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined;
  #controller: ReadableByteStreamController | undefined;
  #leftMs: number;
  #unlisten: () => void = () => {};

  constructor(response: Bodied, bounds: StreamBounds) {
    this.#response = response;
    this.#bounds = bounds;
    this.#leftMs = bounds.leftMs;
  }

  start(controller: ReadableByteStreamController): void {
    this.#controller = controller;
    const { signal } = this.#bounds;
    if (!signal) return;
    // A weak reference, because a signal may outlive many bodies that are never read to their end.
    const weak = new WeakRef(this);
    const abort = (): void => weak.deref()?.fail(signal.reason);
    signal.addEventListener('abort', abort);
    this.#unlisten = () => signal.removeEventListener('abort', abort);
    unread ??= new FinalizationRegistry((unlisten) => unlisten());
    unread.register(this, this.#unlisten);
    if (signal.aborted) abort();
  }

  async pull(): Promise<void> {
    const { clock, timeoutError, brokenError } = this.#bounds;
    this.#reader ??= this.#response.body.getReader();
    const since = clock.now();
    const cancelTimer = clock.timer(this.#leftMs, () => this.fail(timeoutError()));
    try {
      const piece = await this.#next(this.#reader);
      if (!this.#controller) return;
      if (piece) this.#controller.enqueue(piece);
      else this.#close(this.#controller);
    } catch (error) {
      if (this.#controller) this.fail(brokenError(error));
    } finally {
      cancelTimer();
      this.#leftMs -= clock.now() - since;
    }
  }

  cancel(reason: unknown): void {
    this.#end();
    this.#stop(reason);
  }

  /** The next chunk that is not empty; `undefined` at the end. */
  async #next(
    reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { mask } = this.#bounds;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        const last = mask?.end();
        return last?.byteLength ? last : undefined;
      }
      const piece = mask ? mask.piece(value) : value;
      // A copy, because a byte stream detaches what it is given: a custom `fetch` may keep it, and a pool of Node's buffers cannot be detached.
      if (piece.byteLength !== 0) return Uint8Array.prototype.slice.call(piece) as Uint8Array<ArrayBuffer>;
    }
  }

  #close(controller: ReadableByteStreamController): void {
    this.#end();
    controller.close();
    // A BYOB reader is released only by a response to its request.
    controller.byobRequest?.respond(0);
  }

  fail(error: unknown): void {
    this.#controller?.error(error);
    this.#end();
    this.#stop(error);
  }

  #end(): void {
    this.#controller = undefined;
    this.#unlisten();
  }

  #stop(reason: unknown): void {
    void cancel(this.#reader ?? this.#response.body, reason);
  }
}
