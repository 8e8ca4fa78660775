/** What a response says of the deprecation of its endpoint. */
export interface Deprecation {
  /** The text of `Warning: 299`, else the value of `Deprecation`. */
  readonly notice: string;
  /** When the endpoint ends, by the header `Sunset`. */
  readonly sunset?: Date;
}

/** `299`, an agent, and the quoted text. Several warnings may come in one header. */
const WARNING = /(?:^|,\s*)299 \S+ "((?:[^"\\]|\\.)*)"/;

/** Longer notices are cut. */
const LONGEST_NOTICE = 500;

/** Reads the deprecation of an endpoint from a response's headers: `Warning: 299` (RFC 7234) or `Deprecation` (RFC 9745). */
export function deprecationOf(headers: Headers, redact: (text: string) => string): Deprecation | undefined {
  const warning = WARNING.exec(headers.get('warning') ?? '')?.[1]?.replace(/\\(.)/g, '$1');
  const said = warning ?? headers.get('deprecation');
  if (said === null || said === 'false') return undefined;
  const sunset = new Date(headers.get('sunset') ?? Number.NaN);
  const notice = redact(said).slice(0, LONGEST_NOTICE);
  return { notice, ...(!Number.isNaN(sunset.getTime()) && { sunset }) };
}
