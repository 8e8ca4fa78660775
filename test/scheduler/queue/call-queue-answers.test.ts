import { describe, expect, it } from 'vitest';
import { ClosedError } from '../../../src/errors.ts';
import type { Admission, Ask, Hold, Lease, RequestOutcome } from '../../../src/quota/admission.ts';
import { CallQueue } from '../../../src/scheduler/queue/call-queue.ts';
import type { Admitting } from '../../../src/scheduler/queue/gate.ts';
import type { PendingCall } from '../../../src/scheduler/queue/pending-call.ts';
import type { QueueableCall, WaitingCall } from '../../../src/scheduler/queue/waiting-call.ts';
import { virtualClock } from '../../../src/testing/index.ts';

const OUTCOME: RequestOutcome = { kind: 'unsent', failed: false };

interface CallOptions {
  readonly priority?: number;
  /** Called when it begins to wait at the gate. */
  readonly onWaiting?: () => void;
}

/** A queue whose pacer answers as told. */
function queueOf() {
  const told = { held: undefined as Partial<Hold> | undefined, late: new Map<PendingCall, Error>() };
  /** Calls that have left the backlog. */
  const left: PendingCall[] = [];
  const clock = virtualClock();
  const admit = ({ endpoint }: Ask): Admission => {
    if (!told.held) return { kind: 'granted', lease: { endpoint } as Lease };
    const hold = {
      until: 60_000,
      isFirm: false,
      mayEndOnAnswer: false,
      scope: 'all',
      yieldsToPriority: false,
    } as const;
    return { kind: 'wait', hold: { ...hold, reason: () => ({ kind: 'window', why: '' }), ...told.held } };
  };
  const queue = new CallQueue({
    pacer: { admit, settle: () => undefined, lastQuota: undefined, revision: 0 } as unknown as Admitting,
    clock,
    maxWaitMs: 100_000,
    maxWaiting: 100,
    onOverflow: 'reject-new',
    onWait: () => undefined,
    outlook: {
      leave: (call) => void left.push(call),
      sentAt: () => 0,
      lateErrors: () => told.late,
      recheckAt: Infinity,
      isPaused: false,
      turnAway: () => new Map(),
      overflowOf: () => new Error('too many'),
    },
  });
  let number = 0;
  const call = (
    endpoint: string,
    { priority = 0, onWaiting = () => {}, ...rest }: Partial<QueueableCall> & CallOptions = {},
  ): QueueableCall => ({
    ask: { endpoint, priority, maxWaitMs: 100_000 },
    signal: undefined,
    ...rest,
    trace: {
      ...{ ticket: ++number, attempts: 0, calledAt: 0, queuedAt: 0, isRetrying: false },
      waiting: onWaiting,
      returned: () => undefined,
      keepContext: () => undefined,
    },
  });
  return { told, left, clock, queue, call };
}

describe('a queue', () => {
  it('keeps a call that comes in the turn in which another returns behind that one', async () => {
    const { told, queue, call } = queueOf();
    const lease = queue.acquire(call('GET /a')) as Lease;
    told.held = { scope: 'endpoint' };
    const parked = queue.acquire(call('GET /a'));
    told.held = undefined;
    queue.release(lease, OUTCOME);
    expect(queue.acquireAtOnce(call('GET /b'))).toBeUndefined();
    expect((await parked) as WaitingCall).toMatchObject({ lease: { endpoint: 'GET /a' } });
    expect(queue.acquireAtOnce(call('GET /b'))).toMatchObject({ endpoint: 'GET /b' });
  });

  it('counts a call that is granted no more among those that wait, before its caller hears of it', async () => {
    const { told, left, clock, queue, call } = queueOf();
    told.held = {};
    const waiting = call('GET /b');
    const granted = queue.acquire(waiting);
    expect(left).toEqual([]);
    told.held = undefined;
    await clock.run(Promise.resolve(granted));
    expect(left).toEqual([waiting]);
  });

  it('rejects no call as late that the rejection of another has let go', async () => {
    const { told, queue, call } = queueOf();
    const lease = queue.acquire(call('GET /a')) as Lease;
    told.held = {};
    const calls = ['GET /b', 'GET /c'].map((endpoint) => call(endpoint, { maxQueueMs: 1_000 }));
    const [first, second] = calls.map((one) => queue.acquire(one) as Promise<WaitingCall>);
    const late = new Error('late');
    told.late = new Map(calls.map((one) => [one, late]));
    told.held = undefined;
    queue.release(lease, OUTCOME);
    const ended = await first;
    expect(() => ended?.lease).toThrow(late);
    expect(await second).toMatchObject({ lease: { endpoint: 'GET /c' } });
  });

  it('asks at once for a more urgent call that comes while it tells that another waits', async () => {
    const { told, clock, queue, call } = queueOf();
    const granted: Lease[] = [];
    const acquire = (one: QueueableCall): void =>
      void (queue.acquire(one) as Promise<WaitingCall>).then(({ lease }) => granted.push(lease));
    told.held = {};
    let comes = (): void => {
      comes = () => {};
      acquire(call('GET /urgent', { priority: 1 }));
      told.held = undefined;
    };
    acquire(call('GET /a', { onWaiting: () => comes() }));
    await clock.advance(0);
    expect(granted).toMatchObject([{ endpoint: 'GET /urgent' }, { endpoint: 'GET /a' }]);
  });

  it('rejects the pause before another attempt once it is closed', async () => {
    const { queue } = queueOf();
    queue.close();
    await expect(queue.delay(1_000, undefined)).rejects.toThrow(ClosedError);
  });
});
