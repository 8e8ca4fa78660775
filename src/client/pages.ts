import { fillTemplate, queryText } from '../endpoints/path-template.ts';
import { callOptionsParser } from '../options/client-options.ts';
import { unchecked } from '../validation/arguments.ts';
import { PAGINATE_OPTIONS, type PaginateOptions, type Pagination, paginate } from '../walk/paginate.ts';
import { recordOf } from './api-request.ts';
import type { Client } from './client.ts';
import type { RequestOptions } from './requests.ts';
import type { Result } from './result.ts';

/** A call of any endpoint, whichever client makes it. */
export type Get = <Body>(path: string, options: RequestOptions<Body>) => Promise<Result<Body>>;

const paginateOptions = callOptionsParser<
  Pick<PaginateOptions, 'items' | 'key' | 'from'> & Pick<RequestOptions, 'params' | 'query'>
>({ ...PAGINATE_OPTIONS, params: unchecked(), query: unchecked() });

/** {@link Client.paginate} by the calls of a client, or of several. */
export function pagesBy(get: Get): Client['paginate'] {
  return <Page, Item>(
    path: string,
    given: PaginateOptions<Page, Item> & Pick<RequestOptions, 'params' | 'query'> = {},
  ): Pagination<Item> => {
    const { items, key, from, schema, ...call } = paginateOptions(given) as typeof given;
    // Copies, for all pages.
    const query = recordOf('query', call.query);
    const params = recordOf('params', call.params);
    const first = queryText(query);
    const name = fillTemplate(path, params) + (first && `?${first}`);
    return paginate(
      (position, pageSchema) =>
        get(path, { ...call, params, query: { ...query, offset: undefined, ...position }, schema: pageSchema }),
      name,
      { schema, signal: call.signal, items, key, from },
    );
  };
}
