import { expect, it } from 'vitest';
import { Delays } from '../../../src/scheduler/queue/delays.ts';
import { virtualClock } from '../../../src/testing/index.ts';

it('a delay ends sooner if its endpoint is hastened: one at a time, the one that began first', async () => {
  const clock = virtualClock();
  const delays = new Delays(clock);
  const ended: string[] = [];
  const delay = (name: string, endpoint?: string): void =>
    void delays.wait(1_000, undefined, endpoint).then(() => ended.push(name));
  delay('unpaid');
  delay('first', 'GET /a');
  delay('other', 'GET /b');
  delay('second', 'GET /a');
  expect([delays.hasten('GET /a'), delays.hasten('GET /c')]).toEqual([true, false]);
  await Promise.resolve();
  expect(ended).toEqual(['first']);
  expect([delays.hasten('GET /a'), delays.hasten('GET /a')]).toEqual([true, false]);
  await clock.advance(1_000);
  expect(ended).toEqual(['first', 'second', 'unpaid', 'other']);
});
