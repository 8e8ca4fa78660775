import type { Scenario } from './scenario.ts';
import { scenarioNamed } from './scenarios.ts';
import type { Measured } from './trial.ts';

/** Results of one contender in one scenario, over all seeds. */
export interface Row {
  readonly scenario: Scenario;
  readonly contender: string;
  /** The geometric mean. */
  readonly utilisation: number;
  readonly leastUtilisation: number;
  readonly served: number;
  readonly limited: number;
  readonly requests: number;
  readonly failures: number;
  readonly afterRefusal: number;
  readonly othersServed: number | undefined;
  /** The worst, in milliseconds. */
  readonly p99: Measured['p99'];
  readonly stuck: number;
}

/** Combines results of different seeds into rows, in the given order. */
export function rowsFrom(measured: readonly Measured[]): Row[] {
  const groups = Map.groupBy(measured, ({ scenario, contender }) => `${scenario}\n${contender}`);
  return [...groups.values()].map((group): Row => {
    const first = group[0] as Measured;
    const sum = (count: (one: Measured) => number): number => group.reduce((total, one) => total + count(one), 0);
    return {
      scenario: scenarioNamed(first.scenario),
      contender: first.contender,
      utilisation: geometricMean(group.map(({ utilisation }) => utilisation)),
      leastUtilisation: Math.min(...group.map(({ utilisation }) => utilisation)),
      served: sum(({ served }) => served),
      limited: sum(({ limited }) => limited),
      requests: sum(({ requests }) => requests),
      failures: sum(({ failures }) => failures),
      afterRefusal: sum(({ afterRefusal }) => afterRefusal),
      othersServed:
        first.othersServed === undefined ? undefined : sum(({ othersServed = 0 }) => othersServed) / group.length,
      p99: first.p99.map(({ priority }, at) => ({
        priority,
        ms: Math.max(...group.map(({ p99 }) => p99[at]?.ms ?? 0)),
      })),
      stuck: sum(({ isStuck }) => Number(isStuck)),
    };
  });
}

/** The geometric mean. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(Math.max(1e-9, value)), 0) / values.length);
}
