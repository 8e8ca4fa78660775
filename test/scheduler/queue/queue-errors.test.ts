import { expect, it } from 'vitest';
import { LAST_INSTANT } from '../../../src/quota/headers/snapshot.ts';
import { latenessError, overflowError } from '../../../src/scheduler/queue/queue-errors.ts';
import { virtualClock } from '../../../src/testing/index.ts';

const NOON = Date.UTC(2026, 0, 15, 12);

it.each([
  ['after about 4 s', 5_000.5, 4_001, NOON + 5_001],
  // Nothing says when, as before the first answer: a caller that retries then must not do so without a pause.
  ['after about 0 ms', 1_000, 1_000, NOON + 2_000],
  ['after about 3.5 min', 211_000, 210_000, NOON + 211_000],
  ['after about 6.1 d', 527_041_000, 527_040_000, NOON + 527_041_000],
  ['never', Infinity, Infinity, LAST_INSTANT],
])('a call that the queue does not accept would be sent %s', async (told, sentAt, retryAfterMs, at) => {
  const clock = virtualClock({ wall: NOON });
  await clock.advance(1_000);
  const end = { waiting: 7, sentAt, quota: undefined };
  const common = { endpoint: 'GET /', window: 'queue', retryAfterMs, retryAt: new Date(at) };
  const late = latenessError({ endpoint: 'GET /', maxQueueMs: 500, since: 1_000 }, end, clock);
  expect(late).toMatchObject(common);
  expect(late.message).toContain(`would be sent ${told}, with 7 waiting`);
  const why = '7 calls wait already, which is the maximum (option maxWaiting)';
  expect(overflowError('GET /', end, 9, clock)).toMatchObject({ ...common, limit: 9, remaining: 0, why });
});

it.each([
  [
    'that still waits when its time is over would be sent later than that, whatever an estimate says',
    1_500,
    500,
    'after more than 500 ms',
  ],
  [
    'of which an estimate says when it would be sent is told that, although time has passed',
    2_000,
    0,
    'after about 1 s',
  ],
])('a call %s', async (_, sentAt, maxQueueMs, told) => {
  const clock = virtualClock({ wall: NOON });
  await clock.advance(1_500);
  const end = { waiting: 7, sentAt, quota: undefined };
  const late = latenessError({ endpoint: 'GET /', maxQueueMs, since: 1_000 }, end, clock);
  expect(late.message).toContain(`would be sent ${told}, with 7 waiting`);
});
