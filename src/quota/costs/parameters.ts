/** Parameters of a query that are looked at, and characters of a value that are told apart. */
const MOST_PARAMETERS = 8;
const LONGEST_VALUE = 24;

/** Parameters of a request, by name. */
export type Parameters = ReadonlyMap<string, string>;

const NONE: Parameters = new Map();

/** The first parameters of a query, as they are encoded. Long values, such as cursors, count as one. */
export function parametersOf(query: string): Parameters {
  if (query === '') return NONE;
  const parameters = new Map<string, string>();
  for (const pair of query.split('&', MOST_PARAMETERS)) {
    const end = pair.indexOf('=');
    const [name, value] = end < 0 ? [pair, ''] : [pair.slice(0, end), pair.slice(end + 1)];
    parameters.set(name, value.length > LONGEST_VALUE ? '…' : value);
  }
  return parameters;
}

/** The number that a value is; undefined: it is none. */
export function numberOf(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}
