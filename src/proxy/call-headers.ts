import type { IncomingHttpHeaders } from 'node:http';
import type { ConfigError } from '../errors.ts';
import { Problem } from './problem.ts';

/** Every header with this prefix is for the proxy, and is not sent to the service. */
export const OWN_PREFIX = 'x-quota-';

/** An option of a call that a header can set. */
export type HeaderOption = 'priority' | 'cost' | 'maxWaitMs' | 'maxQueueMs' | 'timeoutMs';

/** The options that a request states in its headers. */
export type StatedOptions = { [Name in HeaderOption]?: number };

const OPTIONS: ReadonlyMap<string, HeaderOption> = new Map([
  ['x-quota-priority', 'priority'],
  ['x-quota-cost', 'cost'],
  ['x-quota-max-wait-ms', 'maxWaitMs'],
  ['x-quota-max-queue-ms', 'maxQueueMs'],
  ['x-quota-timeout-ms', 'timeoutMs'],
]);

/**
 * Reads the options of a call.
 *
 * @throws Problem that names the header. Whether the number suits the option is checked where the call is made.
 */
export function readCallHeaders(headers: IncomingHttpHeaders): StatedOptions {
  const stated: StatedOptions = {};
  for (const name in headers) {
    if (!name.startsWith(OWN_PREFIX)) continue;
    const option = OPTIONS.get(name);
    if (option === undefined) {
      const known = [...OPTIONS.keys()].join(', ');
      throw new Problem(400, 'request', `${name} is not one of the headers of this proxy: ${known}.`);
    }
    stated[option] = numberOf(name, headers[name]);
  }
  return stated;
}

/** The answer to a request with an option that the client refuses: names the header, because the caller knows no option. */
export function optionProblem({ option, message }: ConfigError): Problem {
  const [header = option] = [...OPTIONS].find(([, set]) => set === option) ?? [];
  return new Problem(400, 'request', `${header}${message.slice(option.length)}.`, {}, { option: header });
}

function numberOf(name: string, value: string | string[] | undefined): number {
  const text = String(value);
  if (/^-?\d{1,12}(\.\d{1,6})?$/.test(text)) return Number(text);
  if (name.startsWith('x-quota-max-') && text === 'Infinity') return Infinity;
  throw new Problem(400, 'request', `${name} must be a number such as 10, not ${JSON.stringify(text.slice(0, 40))}.`);
}
