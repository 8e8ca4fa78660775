/** Maximum number of full names, because costs and metrics are kept by name. */
const MOST_NAMES = 500;

/** Beyond that, calls are named by their first segments only, and there are at most this many such names. */
const FIRST_SEGMENTS = 2;
const MOST_SHORT_NAMES = 50;

/** Beyond that, calls are named by their method; by `*` for another method than these. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** No known endpoint has more segments. */
const MOST_SEGMENTS = 12;

const PRINCIPAL = /^S[PMTN][0-9A-HJKMNP-TV-Z]{26,39}(?:\.[A-Za-z][\w-]*)?$/;
const HASH = /^(?:0x[0-9a-f]*|[0-9a-f]{32,})$/i;
/** A placeholder of a path template. */
const PLACEHOLDER = /^\{\w+\}$/;
const WORD = /^[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*$/;
const LONGEST_WORD = 32;

/** In these endpoints the segments behind an address are names chosen by users: of a contract, a function, a variable. */
const NODE_CALLS: ReadonlySet<string> = new Set(['v2', 'v3']);

/**
 * The endpoint of a call, such as `GET /extended/v1/address/{address}/assets`: variable segments are replaced, so that costs are
 * learned together. It is a guess from the form of each segment, because the client does not know all endpoints.
 *
 * @param path - percent-encoded, without the path of the base URL; or a path template, whose placeholders are kept.
 */
export function endpointName(method: string, path: string): string {
  const segments = path.split('/').filter(Boolean);
  const isNodeCall = NODE_CALLS.has(segments[0] ?? '');
  let isBehindAddress = false;
  const folded = segments.slice(0, MOST_SEGMENTS).map((segment) => {
    const fold = foldOf(decoded(segment));
    const isNamed = isNodeCall && isBehindAddress;
    isBehindAddress ||= fold === '{address}';
    return fold ?? (isNamed ? '{name}' : segment);
  });
  return `${method} /${folded.join('/')}${segments.length > MOST_SEGMENTS ? '/…' : ''}`;
}

/** Names endpoints, with a bounded number of names. */
export class EndpointNames {
  readonly #names = new Set<string>();
  readonly #shortNames = new Set<string>();

  /** The name of a call's endpoint; once all names are used, one that many endpoints share. */
  of(method: string, path: string): string {
    const name = endpointName(method, path);
    if (isAdmitted(name, this.#names, MOST_NAMES)) return name;
    const short = shortened(name);
    return isAdmitted(short, this.#shortNames, MOST_SHORT_NAMES) ? short : `${METHODS.has(method) ? method : '*'} /…`;
  }
}

function isAdmitted(name: string, names: Set<string>, most: number): boolean {
  if (!names.has(name) && names.size < most) names.add(name);
  return names.has(name);
}

function shortened(name: string): string {
  const segments = name.split('/');
  return segments.length > FIRST_SEGMENTS + 1 ? `${segments.slice(0, FIRST_SEGMENTS + 1).join('/')}/…` : name;
}

/** The placeholder of a variable segment; `undefined` for a fixed one. */
function foldOf(segment: string): string | undefined {
  if (PLACEHOLDER.test(segment)) return segment;
  if (PRINCIPAL.test(segment)) return '{address}';
  if (segment.includes('::')) return '{asset}';
  if (/^\d+$/.test(segment)) return '{number}';
  if (HASH.test(segment)) return '{hash}';
  return WORD.test(segment) && segment.length <= LONGEST_WORD ? undefined : '{name}';
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
