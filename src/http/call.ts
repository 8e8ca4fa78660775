import type { Ask } from '../quota/admission.ts';
import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import type { CallTrace } from '../trace/call-trace.ts';

/** One request as it goes out. */
export interface Outgoing {
  readonly method: string;
  /** In the form that `URL.href` has. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: BodyInit | undefined;
  /** Other options of `fetch`, such as the cache mode. */
  readonly init?: RequestInit | undefined;
}

/** Form in which the body of a success is returned: not at all, whole as text or bytes, or as a stream. */
export type BodyForm = 'none' | 'text' | 'bytes' | 'stream';

/** A call to be made. */
export interface Call {
  readonly request: Outgoing;
  readonly ask: Ask;
  readonly signal: AbortSignal | undefined;
  /** The caller's label. */
  readonly label?: string | undefined;
  /** Maximum time until it is first sent, in milliseconds. Default: Infinity. */
  readonly maxQueueMs?: number | undefined;
  /** Time-out of one attempt, from sending to the end of the body, in milliseconds. */
  readonly timeoutMs: number;
  readonly wants: BodyForm;
  /** How to treat a redirect within the origin, as in `RequestInit`. Default: `'follow'`. */
  readonly redirect?: RequestRedirect;
  /** Whether the last refusal is returned as an answer instead of an error. */
  readonly takesRefusals?: boolean;
  /** Whether the key is replaced by asterisks in the body of a success, too. */
  readonly masksKey?: boolean | undefined;
  /** Whether it was announced before the client may have been closed. */
  readonly isAnnounced?: boolean | undefined;
  /** Set by the scheduler, which follows one object from the call to its answer: the trace, and what its backlog knows. */
  trace?: CallTrace | undefined;
  stretch?: unknown;
  isWaiting?: boolean;
}

/** The service's answer to a call. */
export interface Reply {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly quota: QuotaSnapshot;
  /** The URL of the answer, after all redirects. */
  readonly url: string;
  readonly isRedirected: boolean;
  /** The body as text: of a success if `text` was requested, and of any other answer, without an echoed API key. A caller that alone has the reply empties it once it is read. */
  text: string;
  /** The body of a success if `bytes` was requested. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** The body of a success if a stream was requested and there is one. */
  readonly stream?: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
}

/** Makes a call. Resolves to its answer. */
export type Run = (call: Call) => Promise<Reply>;
