import { Costs } from '../../../src/quota/limits/costs.ts';

/** Costs that answers of one endpoint stated. */
export function learned(...costs: readonly number[]): Costs {
  const known = new Costs();
  for (const cost of costs) known.learn('GET /a', cost);
  return known;
}

/** What a request is sure to need. */
export const certain = (costs: Costs, endpoint: string, query?: string): number =>
  costs.expect(endpoint, query).certain;
