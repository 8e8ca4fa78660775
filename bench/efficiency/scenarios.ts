import type { Scenario } from './scenario.ts';
import { company, crowds, urgent } from './scenarios/company.ts';
import { habits } from './scenarios/habits.ts';
import { shapes, sizes } from './scenarios/shapes.ts';
import { faults, months, turns } from './scenarios/trouble.ts';

/** The whole set. */
export const scenarios: readonly Scenario[] = [
  ...shapes,
  ...sizes,
  ...habits,
  ...turns,
  ...faults,
  ...months,
  ...company,
  ...crowds,
  ...urgent,
];
