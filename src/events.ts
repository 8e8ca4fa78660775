import type { Reason } from './quota/admission.ts';
import type { QuotaSnapshot } from './quota/snapshot.ts';

/** What happens to a call, told as it happens. None carries the key, a body or an address. */
export type ClientEvent =
  | {
      /** The line stands still until `until`, or until something comes back. */
      readonly type: 'waiting';
      readonly endpoint: string;
      readonly until: Date;
      readonly reason: Reason;
      /** Calls that stand behind. */
      readonly waiting: number;
    }
  | {
      /** A request left. */
      readonly type: 'sent';
      readonly endpoint: string;
      /** 1 for the first request of a call. */
      readonly attempt: number;
      /** Units held for it. */
      readonly units: number;
    }
  | {
      /** Its answer came. */
      readonly type: 'answered';
      readonly endpoint: string;
      readonly status: number;
      /** Time from leaving to the answer's headers, in milliseconds. */
      readonly tookMs: number;
      readonly quota: QuotaSnapshot;
    }
  | {
      /** The service refused it because of a limit. It goes again through the gate. */
      readonly type: 'limited';
      readonly endpoint: string;
      readonly status: number;
      readonly quota: QuotaSnapshot;
    }
  | {
      /** No usable answer came. */
      readonly type: 'lost';
      readonly endpoint: string;
      /** What went wrong, such as `ECONNRESET` or `TIMEOUT`. */
      readonly code: string;
    }
  | {
      /** The call goes again, back through the line. */
      readonly type: 'retrying';
      readonly endpoint: string;
      /** The attempt to come. */
      readonly attempt: number;
      /** How long it pauses first, in milliseconds. */
      readonly afterMs: number;
    }
  | {
      /** The store through which processes share the quota cannot be used: each goes on as `mode` says. Told once. */
      readonly type: 'share lost';
      /** What went wrong, such as `TIMEOUT`, `ECONNREFUSED` or `READONLY`. */
      readonly code: string;
      /** `partial`: with a cautious part of the quota; `closed`: nothing new is sent; `open`: as if the key were its own. */
      readonly mode: 'partial' | 'closed' | 'open';
    }
  | {
      /** The store can be used again, and has been told what was spent meanwhile. */
      readonly type: 'share regained';
      /** How long it could not be used, in milliseconds. */
      readonly afterMs: number;
      /** Units that were spent without a grant in windows that are still open. */
      readonly debited: number;
    }
  | {
      /** Something in the store was not what this package puts there. It was thrown away, and is made anew. */
      readonly type: 'share unreadable';
      /** What it was, such as the window it belongs to. */
      readonly what: string;
    };

/** Hears what happens. What it throws is ignored. */
export type EventListener = (event: ClientEvent) => void;
