import type { Ruling } from './gateway.ts';
import type { BodyContent, HeaderLines, Page } from './routes/page.ts';

/** The response of the service to one request. */
export interface ServiceAnswer extends Ruling {
  readonly status: number;
  /** All header lines, names in lower case. */
  readonly headers: HeaderLines;
  /** Returns the body; empty for HEAD. */
  readonly body: () => BodyContent;
  /** How the body is sent: whole, cut half-way by a broken connection, or in pieces over some seconds. */
  readonly delivery: 'whole' | 'truncated' | 'slow';
}

/** The response to a request: what the gateway decided, its headers, and a page. */
export function answerOf(
  { endpoint, tier, limited, cost, leave, headers = [] }: Ruling & { readonly headers?: HeaderLines },
  { status, headers: own, body }: Page,
): ServiceAnswer {
  return { status, headers: [...headers, ...own], body, delivery: 'whole', endpoint, tier, limited, cost, leave };
}
