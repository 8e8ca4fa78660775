import type { Ask } from '../quota/admission.ts';
import type { QuotaSnapshot } from '../quota/headers/snapshot.ts';
import type { CallTrace } from '../trace/call-trace.ts';
import type { Outgoing } from './transport.ts';

/** Form of the body of a success: not read, read whole as text or as bytes, or streamed. */
export type BodyForm = 'none' | 'text' | 'bytes' | 'stream';

/** A call to be made. */
export interface Call {
  readonly request: Outgoing;
  readonly ask: Ask;
  readonly signal: AbortSignal | undefined;
  /** What the caller named it. */
  readonly label?: string | undefined;
  /** How long one attempt may take from leaving to the end of its body, in milliseconds. */
  readonly timeoutMs: number;
  readonly wants: BodyForm;
  /** What to do with a redirect within the origin; as `fetch` has it. Default: `'follow'`. */
  readonly redirect?: RequestRedirect;
  /** Whether the caller takes the last refusal as an answer, where most are told by an error. */
  readonly takesRefusals?: boolean;
  /** Set by the scheduler, which follows one object from the call to its answer. */
  trace?: CallTrace | undefined;
}

/** The service's answer to a call. */
export interface Reply {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly quota: QuotaSnapshot;
  /** Where it came from, after all redirects. */
  readonly url: URL;
  readonly isRedirected: boolean;
  /** The body of a success that was wanted as text, and any other; there without the key, should the service have echoed it. */
  readonly text: string;
  /** The body of a success that was wanted as bytes. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined;
  /** The body of a success that was wanted as it comes, if there is one. */
  readonly stream?: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
}

/** Makes a call and resolves to its answer. */
export type Run = (call: Call) => Promise<Reply>;
