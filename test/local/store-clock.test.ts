import { expect, it } from 'vitest';
import { steadyClock } from '../../src/local/store-clock.ts';

it('the clock of a store goes on', () => {
  const [begin, first] = [performance.now(), steadyClock()];
  while (performance.now() < begin + 1);
  expect(steadyClock()).toBeGreaterThan(first);
});
