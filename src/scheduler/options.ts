import type { Clock } from '../clock.ts';
import type { EventListener } from '../events.ts';
import type { KeyRing } from '../http/key-ring.ts';
import type { Transport } from '../http/transport.ts';
import type { BulkReservePolicy } from '../quota/window/bulk-reserve.ts';
import type { QuotaShare } from '../share.ts';
import type { LowMarks } from '../trace/low-water.ts';

/** Options of a scheduler. */
export interface SchedulerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: () => number;
  readonly share: QuotaShare;
  readonly reserve?: BulkReservePolicy | undefined;
  /** The parts of windows below which `low` is emitted. */
  readonly low?: LowMarks | undefined;
  readonly keys: KeyRing;
  /** Identifies the quota of a key, given its number: the service's origin and the key. */
  readonly credentialOf: (key: number) => string;
  readonly concurrency: number;
  readonly maxAttempts: number;
  readonly maxWaitMs: number;
  readonly maxWaiting: number;
  readonly onOverflow: 'reject-new' | 'reject-lowest';
  readonly timeoutMs: number;
  readonly onEvent: EventListener | undefined;
}
