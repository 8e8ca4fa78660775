import type { Reason } from './quota/admission.ts';
import type { QuotaSnapshot } from './quota/headers/snapshot.ts';
import type { Period } from './quota/time/periods.ts';

/** Fields of every event of a call. */
export interface CallEvent {
  /**
   * The number of the call, from 1. Events with the same number belong to one call, from `called` to `done` or `failed`; only a body that
   * breaks off while the caller reads it, as that of `client.fetch`, is `lost` after `done`.
   */
  readonly call: number;
  /** The endpoint of the call, such as `GET /extended/v1/info`. */
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
        /** The call waits: until `until`, or until a response allows it to be sent earlier. */
        readonly type: 'waiting';
        readonly until: Date;
        readonly reason: Reason;
        /** Whether it is parked, so that it delays no other call; else the whole queue stands still. */
        readonly parked: boolean;
        /** Calls that wait in the queue behind it. */
        readonly waiting: number;
      }
    | {
        /** A request is sent. */
        readonly type: 'sent';
        /** 1 for the first request of a call. A refusal because of a limit is no attempt. */
        readonly attempt: number;
        /** Units held for it. */
        readonly units: number;
        readonly method: string;
        /** The URL of the request. The key is never in it. */
        readonly url: string;
        /** Time from the call, or from the pause before another attempt, to its grant by the gate, in milliseconds. */
        readonly waitedMs: number;
        /** The last reason in that time for which the call, or the queue ahead of it, stood still, if any. */
        readonly waitedFor?: Reason;
      }
    | {
        /** The headers of its response arrived. */
        readonly type: 'answered';
        readonly status: number;
        /** Time from sending to the response's headers, in milliseconds. */
        readonly tookMs: number;
        readonly quota: QuotaSnapshot;
        /**
         * Difference between the service's count and the client's own estimate, by window, in units: more than 0 if it counted
         * more than this client can have used, less than 0 if it counted less than this client surely used, else 0.
         */
        readonly drift: Readonly<Record<string, number>>;
      }
    | {
        /** The service refused the request because of a limit. The call is queued again, but fails after the fifth refusal, or the 25th if that says that a window is full. */
        readonly type: 'limited';
        readonly status: number;
        readonly quota: QuotaSnapshot;
      }
    | {
        /** The service marks the endpoint as deprecated, by `Warning: 299` or `Deprecation`. Emitted once per endpoint. */
        readonly type: 'deprecated';
        /** The text of the warning, else the value of `Deprecation`. */
        readonly notice: string;
        /** When the endpoint ends, if the header `Sunset` says so. */
        readonly sunset?: Date;
      }
    | {
        /**
         * The key was sent, but answers look like those to a request without one: windows that earlier answers named are missing, or a
         * limit has shrunk to a tenth. The key may have been revoked. Emitted once, until answers to a key are as before.
         */
        readonly type: 'key-ignored';
        readonly quota: QuotaSnapshot;
      }
    | {
        /** Less is left of a window than the option `low` says. Emitted once, until more is left again. */
        readonly type: 'low';
        /** `second`, `minute`, `month`, …. */
        readonly window: Period;
        /** Units that the window holds in all. */
        readonly limit: number;
        /** Units remaining, by the headers of the response. */
        readonly remaining: number;
      }
    | {
        /** No usable response arrived, or its body broke off. */
        readonly type: 'lost';
        /** What went wrong, such as `ECONNRESET` or `TIMEOUT`. */
        readonly code: string;
        /** Time from sending, in milliseconds; 0 if the request was never sent. */
        readonly tookMs: number;
      }
    | {
        /** The call is queued for another attempt. */
        readonly type: 'retrying';
        /** The number of the next attempt. */
        readonly attempt: number;
        /** Delay before that attempt, in milliseconds. */
        readonly afterMs: number;
      }
    | {
        /** The call has its response, of whatever status. */
        readonly type: 'done';
        readonly status: number;
        /** Time from the call to here, in milliseconds. */
        readonly tookMs: number;
      }
    | {
        /** The call ends without a response. */
        readonly type: 'failed';
        /** The name of its error, such as `QuotaExhaustedError`; `aborted` if its signal ended it. */
        readonly error: string;
        /** The code of a `ConnectionError`, such as `ECONNRESET`. */
        readonly code?: string | undefined;
        /** The reason of a `QuotaExhaustedError`, for people. */
        readonly why?: string | undefined;
        /** When the call may be retried, if a `QuotaExhaustedError` knows. */
        readonly retryAt?: Date | undefined;
        /** Time from the call to here, in milliseconds. */
        readonly tookMs: number;
      }
  );

/** An event of the store through which processes share a quota. It belongs to no call. */
export type ShareEvent =
  | {
      /** The store cannot be used: three trips in a row have failed. The process continues as `mode` says. Emitted once per outage. */
      readonly type: 'share-lost';
      /** What went wrong, such as `TIMEOUT`, `ECONNREFUSED`, `READONLY`, or `ClientClosedError` of a node-redis client that is not connected. */
      readonly code: string;
      /** `partial`: it sends at an even pace; `closed`: it sends only what was granted; `open`: it sends as if it had the key to itself. */
      readonly mode: 'partial' | 'closed' | 'open';
    }
  | {
      /** The store can be used again, and the units used meanwhile are booked in it. */
      readonly type: 'share-regained';
      /** Time since the first failed trip, in milliseconds. */
      readonly afterMs: number;
      /** Units spent without a grant that this process still had to book, in windows that are still open. */
      readonly debited: number;
    };

/** An event of a client. None carries the key or a body. */
export type ClientEvent = CallStoryEvent | ShareEvent;

/** Receives events. Errors it throws are ignored. */
export type EventListener = (event: ClientEvent) => void;
