import type { Scenario } from './scenario.ts';
import { company, crowds, crowdsOfOneLimit, seconds, strangers, urgent } from './scenarios/company.ts';
import { costs, habits, silent } from './scenarios/habits.ts';
import { jobs, late } from './scenarios/jobs.ts';
import { randomScenarioNamed } from './scenarios/random.ts';
import { mixed, shapes, sizes } from './scenarios/shapes.ts';
import { shared } from './scenarios/shared.ts';
import { faults, months, turns } from './scenarios/trouble.ts';

/** All scenarios. */
export const scenarios: readonly Scenario[] = [
  ...shapes,
  ...mixed,
  ...sizes,
  ...late,
  ...jobs,
  ...habits,
  ...costs,
  ...silent,
  ...turns,
  ...faults,
  ...months,
  ...company,
  ...seconds,
  ...strangers,
  ...crowds,
  ...crowdsOfOneLimit,
  ...shared,
  ...urgent,
];

/** Returns the scenario with this name, of the set or random. */
export function scenarioNamed(name: string): Scenario {
  const found = randomScenarioNamed(name) ?? scenarios.find((scenario) => scenario.name === name);
  if (!found) throw new Error(`There is no scenario ${name}.`);
  return found;
}
