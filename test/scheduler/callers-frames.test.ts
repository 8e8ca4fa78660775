import { describe, expect, it } from 'vitest';
import { ClosedError, ConnectionError, QuotaExhaustedError } from '../../src/errors.ts';
import { rejectionForCaller, withCallersFrames } from '../../src/scheduler/callers-frames.ts';

const made = { endpoint: 'GET /', url: undefined, quota: undefined };
const OWN: readonly (() => Error)[] = [
  () => new ClosedError(),
  () => new ConnectionError({ ...made, code: 'TIMEOUT', attempts: 1 }),
  () =>
    new QuotaExhaustedError({
      ...made,
      window: 'minute',
      limit: 1,
      remaining: 0,
      why: 'it is used up',
      retryAfterMs: 1,
      retryAt: new Date(0),
    }),
];

/** Where the queue makes an error. */
function inTheQueue<T>(make: () => T): T {
  return make();
}

async function whereItIsAwaited(error: unknown): Promise<unknown> {
  try {
    throw withCallersFrames(error);
  } catch (caught) {
    return caught;
  }
}

describe('the stack of an error', () => {
  it.each(OWN)('of the queue is that of the call', async (make) => {
    const error = inTheQueue(make);
    expect(error.stack).toContain('inTheQueue');
    expect(await whereItIsAwaited(error)).toBe(error);
    expect(error.stack).toContain('whereItIsAwaited');
    expect(error.stack).not.toContain('inTheQueue');
  });

  it('of another kind stays as it is, and so does what is no error', async () => {
    const error = inTheQueue(() => new TypeError('no function'));
    const { stack } = error;
    await whereItIsAwaited(error);
    expect(error.stack).toBe(stack);
    expect(await whereItIsAwaited('a reason')).toBe('a reason');
  });

  it('of a call that is refused at once names the function that awaits it, three promises away', async () => {
    const refused = (): Promise<never> => rejectionForCaller(inTheQueue(() => new ClosedError()));
    const inBetween = async (): Promise<never> => refused();
    async function whoAwaits(): Promise<void> {
      await inBetween();
    }
    const error = await whoAwaits().catch((caught: Error) => caught);
    expect(error?.stack).toContain('whoAwaits');
  });
});

it('an error is given as it is where no stack can be captured', () => {
  const { captureStackTrace } = Error;
  Object.assign(Error, { captureStackTrace: undefined });
  try {
    const error = new ClosedError();
    expect(withCallersFrames(error)).toBe(error);
  } finally {
    Object.assign(Error, { captureStackTrace });
  }
});
