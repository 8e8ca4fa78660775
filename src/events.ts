import type { Reason } from './quota/admission.ts';
import type { QuotaSnapshot } from './quota/headers/snapshot.ts';

/** Fields of every event of a call. */
export interface CallEvent {
  /** The number of the call: the first of a client is 1. Events of one number are one story, from `called` to `done` or `failed`. */
  readonly call: number;
  /** The endpoint that is asked for, such as `GET /extended/v1/info`. */
  readonly endpoint: string;
  /** The option `label` of the call, if given. */
  readonly label?: string;
  /** When it happened, by this machine's wall clock. */
  readonly at: Date;
}

/** An event of a call, emitted as it happens. */
export type CallStoryEvent = CallEvent &
  (
    | {
        /** A call was made. Emitted within the caller's own async context. */
        readonly type: 'called';
        readonly priority: number;
      }
    | {
        /** The call waits: until `until`, or until an answer comes. */
        readonly type: 'waiting';
        readonly until: Date;
        readonly reason: Reason;
        /** Whether it is parked, so that it delays no other call; else the whole queue stands still. */
        readonly parked: boolean;
        /** Calls that wait in the queue behind it. */
        readonly waiting: number;
      }
    | {
        /** A request left. */
        readonly type: 'sent';
        /** 1 for the first request of a call. A refusal because of a limit is no attempt. */
        readonly attempt: number;
        /** Units held for it. */
        readonly units: number;
        readonly method: string;
        /** Where it went. The key is never in it. */
        readonly url: string;
        /** Time from the call, or from the pause before another attempt, to its grant by the gate, in milliseconds. */
        readonly waitedMs: number;
        /** The last reason in that time for which it, or the queue ahead of it, stood still, if any. */
        readonly waitedFor?: Reason;
      }
    | {
        /** Its answer came. */
        readonly type: 'answered';
        readonly status: number;
        /** Time from leaving to the answer's headers, in milliseconds. */
        readonly tookMs: number;
        readonly quota: QuotaSnapshot;
        /**
         * Difference between the service's count and the client's own estimate, by window, in units: more than 0 if it counted
         * more than this client can have used, less than 0 if it counted less than this client surely used, else 0.
         */
        readonly drift: Readonly<Record<string, number>>;
      }
    | {
        /** The service refused it because of a limit. It goes again through the gate. */
        readonly type: 'limited';
        readonly status: number;
        readonly quota: QuotaSnapshot;
      }
    | {
        /** No usable answer came. */
        readonly type: 'lost';
        /** What went wrong, such as `ECONNRESET` or `TIMEOUT`. */
        readonly code: string;
        /** Time from leaving, in milliseconds; 0 if it never left. */
        readonly tookMs: number;
      }
    | {
        /** The call is queued for another attempt. */
        readonly type: 'retrying';
        /** The attempt to come. */
        readonly attempt: number;
        /** How long it pauses first, in milliseconds. */
        readonly afterMs: number;
      }
    | {
        /** The call has its answer, of whatever status. */
        readonly type: 'done';
        readonly status: number;
        /** Time from the call to here, in milliseconds. */
        readonly tookMs: number;
      }
    | {
        /** The call ends without an answer. */
        readonly type: 'failed';
        /** The name of its error, such as `QuotaExhaustedError`; `aborted` if its signal ended it. */
        readonly error: string;
        /** Time from the call to here, in milliseconds. */
        readonly tookMs: number;
      }
  );

/** An event of the store through which processes share the quota. It belongs to no call. */
export type ShareEvent =
  | {
      /** The store through which processes share the quota cannot be used: each continues as `mode` says. Emitted once. */
      readonly type: 'share-lost';
      /** What went wrong, such as `TIMEOUT`, `ECONNREFUSED` or `READONLY`. */
      readonly code: string;
      /** `partial`: with a cautious part of the quota; `closed`: nothing new is sent; `open`: as if the key were its own. */
      readonly mode: 'partial' | 'closed' | 'open';
    }
  | {
      /** The store can be used again, and the units used meanwhile are booked in it. */
      readonly type: 'share-regained';
      /** How long it could not be used, in milliseconds. */
      readonly afterMs: number;
      /** Units that were spent without a grant in windows that are still open. */
      readonly debited: number;
    };

/** An event of a client. None carries the key or a body. */
export type ClientEvent = CallStoryEvent | ShareEvent;

/** Receives events. Errors it throws are ignored. */
export type EventListener = (event: ClientEvent) => void;
