import type { Ask } from '../../quota/admission.ts';
import type { CallTrace } from '../../trace/call-trace.ts';

/** A call, as queue and gate see it. */
export interface PendingCall {
  readonly ask: Ask;
  readonly signal: AbortSignal | undefined;
  /** What it asks for, to be named in errors. */
  readonly request?: { readonly url: string } | undefined;
  /** Maximum time until it is first sent, in milliseconds. Default: Infinity. */
  readonly maxQueueMs?: number | undefined;
  /** Records that the call waits. */
  readonly trace: Pick<CallTrace, 'waiting' | 'attempts' | 'queuedAt'>;
}

/** When a waiting call is to be sent at the latest, and since when it waits, in monotonic milliseconds. */
export interface Bound {
  readonly by: number;
  readonly since: number;
}

/** The priority of a call, by default 0. An inspection goes first: nothing that holds others back is its concern. */
export function priorityOf({ ask }: Pick<PendingCall, 'ask'>): number {
  return ask.isInspection ? Infinity : (ask.priority ?? 0);
}
