import type { Call, Run } from '../http/call.ts';
import type { ClientOptions } from '../options/client-options.ts';
import { wrongReturn } from '../validation/arguments.ts';

/** Adds to each call without a cost of its own the one that the option `cost` states. */
export function withStatedCosts(run: Run, costOf: ClientOptions['cost']): Run {
  if (!costOf) return run;
  return async (call) => run(call.ask.cost === undefined ? priced(call, costOf) : call);
}

/** @throws ConfigError if the function returns no cost; and any error that it throws itself. */
function priced(call: Call, costOf: NonNullable<ClientOptions['cost']>): Call {
  const { method, url } = call.request;
  const cost: unknown = costOf({ method, endpoint: call.ask.endpoint, url: new URL(url) });
  if (cost === undefined) return call;
  if (typeof cost === 'number' && Number.isFinite(cost) && cost >= 0) return { ...call, ask: { ...call.ask, cost } };
  throw wrongReturn('cost', 'a finite number of units, 0 or more, or undefined', cost);
}
