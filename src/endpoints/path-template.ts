import { ConfigError, quote } from '../errors.ts';

/** A value of a path or query parameter. */
export type ParamValue = string | number | bigint | boolean;

/** The names in braces of a path template: `'principal'` of `'/extended/v2/addresses/{principal}/transactions'`. */
export type PathParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParamName<Rest>
  : never;

/** Query parameters. An array is sent as one parameter per element; `undefined` and `null` are left out. */
export type Query = Readonly<Record<string, ParamValue | readonly ParamValue[] | null | undefined>>;

/** What a path may be made of, apart from placeholders: characters that a URL does not change, and no dot segment. */
const NORMAL_PATH = /^(?!.*\/(?:\.|%2e){1,2}(?:\/|$))(?:\/(?:[\w.~!$&'()*+,;=:@-]|%[0-9a-f]{2})*)+$/i;

/**
 * Fills the placeholders of a path template with the encoded parameters.
 *
 * @throws ConfigError if the path cannot be used, or its placeholders and the parameters do not match.
 */
export function fillTemplate(template: string, params: Readonly<Record<string, unknown>> = {}): string {
  if (typeof template !== 'string' || !/^\/(?!\/)/.test(template))
    throw new ConfigError('path', `must begin with one slash, such as /v2/info, not be ${quote(template)}`);
  if (/[?#]/.test(template))
    throw new ConfigError('path', 'must not have a query or a fragment: pass { query: { limit: 1 } }');
  const used = new Set<string>();
  const path = template.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    if (name === '')
      throw new ConfigError('path', `${quote(template)} must have a name in each pair of braces, such as {address}`);
    used.add(name);
    return encodedParam(name, Object.hasOwn(params, name) ? params[name] : undefined, template);
  });
  const unused = Object.keys(params).find((name) => !used.has(name));
  if (unused !== undefined) throw new ConfigError('params', `has ${quote(unused)}, which is not in ${template}`);
  if (!NORMAL_PATH.test(path))
    throw new ConfigError(
      'path',
      `${quote(template)} has dot segments or characters that a URL would change: pass values as params`,
    );
  return path;
}

/** The query as text, encoded; without its question mark. */
export function queryText(parameters: Query): string {
  let query: URLSearchParams | undefined;
  for (const name of Object.keys(parameters)) {
    const given = parameters[name];
    if (given === undefined) continue;
    for (const value of Array.isArray(given) ? given : [given]) {
      if (value === undefined || value === null) continue;
      if (!isValue(value))
        throw new ConfigError('query', `must have text or a number for ${name}, not ${quote(value)}`);
      query ??= new URLSearchParams();
      query.append(name, String(value));
    }
  }
  return query?.toString() ?? '';
}

function encodedParam(name: string, value: unknown, template: string): string {
  const wrong = (problem: string): ConfigError => new ConfigError('params', problem);
  if (value === undefined) throw wrong(`must have ${name}, for ${template}`);
  if (!isValue(value)) throw wrong(`must have text or a number for ${name}, not ${quote(value)}`);
  const text = String(value);
  if (text === '' || text === '.' || text === '..') throw wrong(`must not have ${quote(text)} for ${name}`);
  if (!text.isWellFormed()) throw wrong(`must have well-formed text for ${name}`);
  return encodeURIComponent(text);
}

function isValue(value: unknown): value is ParamValue {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' || typeof value === 'bigint' || typeof value === 'boolean';
}
