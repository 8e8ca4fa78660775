import { expect, it } from 'vitest';
import { SpacingBenefit } from '../../../src/quota/limits/spacing-benefit.ts';

/** Answers to requests that were sent at an instant: so many are served, and so many refused. */
function answer(benefit: SpacingBenefit, at: number, served: number, refused: number): boolean {
  for (let count = 0; count < served; count++) benefit.onAnswer(at, false, at + 50);
  for (let count = 0; count < refused; count++) benefit.onAnswer(at, true, at + 50);
  return benefit.isUseless(at + 50);
}

/** Spacing that counts as useless since 2 s: half of the requests are refused, as before. */
function useless(): SpacingBenefit {
  const benefit = new SpacingBenefit();
  answer(benefit, 0, 10, 10);
  benefit.begin(1_000);
  answer(benefit, 2_000, 10, 10);
  return benefit;
}

it.each<[string, number, number, boolean]>([
  ['much more seldom than before helps', 92, 8, false],
  ['about as often as before is useless', 12, 8, true],
  ['too few times to tell is not judged', 3, 7, false],
])('spacing after which requests are refused %s', (_, served, refused, isUseless) => {
  const benefit = new SpacingBenefit();
  answer(benefit, 0, 10, 26);
  benefit.begin(1_000);
  benefit.begin(2_000);
  expect(answer(benefit, 1_000, served, refused)).toBe(isUseless);
});

it('spacing helps if a third as many are refused, where four more are taken to have been served without it', () => {
  const isUselessBeside = (served: number): boolean => {
    const benefit = new SpacingBenefit();
    answer(benefit, 0, 0, 8);
    benefit.begin(1_000);
    return answer(benefit, 2_000, served, 8);
  };
  // 8 of 12 were refused before. A third of that lies between 8 of 37 and 8 of 35.
  expect([isUselessBeside(29), isUselessBeside(27)]).toEqual([false, true]);
});

it('what counts as useless does so for an hour', () => {
  const benefit = useless();
  expect(benefit.isUseless(3_602_049)).toBe(true);
  expect(benefit.isUseless(3_602_050)).toBe(false);
});

it('what counts as useless does so for no longer where as many are refused without it meanwhile', () => {
  const benefit = useless();
  answer(benefit, 3_000_000, 10, 10);
  expect(benefit.isUseless(3_603_000)).toBe(false);
});

it('what is spaced anew is judged anew', () => {
  const benefit = useless();
  benefit.begin(4_000_000);
  expect(answer(benefit, 4_001_000, 3, 7)).toBe(false);
});

it('spaced requests are compared with those that were not, however long these were answered before', () => {
  const benefit = new SpacingBenefit();
  answer(benefit, 0, 10, 26);
  benefit.begin(1_000);
  answer(benefit, 2_000, 92, 0);
  expect(answer(benefit, 100_000, 0, 8)).toBe(false);
});

it('what counts as useless no longer does once far more requests are refused without it', () => {
  const benefit = new SpacingBenefit();
  answer(benefit, 0, 10, 10);
  benefit.begin(1_000);
  expect(answer(benefit, 2_000, 32, 8)).toBe(true);
  // Those of the last ten seconds count, not what was served before.
  expect(answer(benefit, 20_000, 500, 10)).toBe(true);
  expect(answer(benefit, 40_000, 0, 7)).toBe(true);
  expect(answer(benefit, 60_000, 0, 40)).toBe(false);
});

it.each([
  [10_000, true],
  [10_001, false],
])('requests that are not spaced are counted for ten seconds: one sent after %i ms', (at, isUseless) => {
  const benefit = new SpacingBenefit();
  answer(benefit, 0, 10, 10);
  benefit.begin(1_000);
  answer(benefit, 2_000, 32, 8);
  // 18 of 28 are less than three times as many as 8 of 40, by four that are added, and 8 of 8 are more.
  expect(answer(benefit, at, 0, 8)).toBe(isUseless);
});
