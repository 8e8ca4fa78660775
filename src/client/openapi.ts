import type { RequestBody } from '../endpoints/endpoints.ts';
import type { CallOptions } from '../options/client-options.ts';
import type { PageItem, PaginateOptions, Pagination } from '../walk/paginate.ts';
import type { Method } from './requests.ts';
import type { Result } from './result.ts';

/** The paths that have an operation of this method. */
type PathWith<Paths, M extends Method> = {
  [Path in keyof Paths]: [OperationOf<Paths, Path, M>] extends [never] ? never : Path;
}[keyof Paths] &
  string;

/** The operation of a path; never if it has none. */
type OperationOf<Paths, Path extends keyof Paths, M extends Method> = Paths[Path] extends {
  readonly [Name in Lowercase<M>]: infer Operation extends object;
}
  ? Operation
  : never;

/** The path parameters or the query of an operation; never if it has none. */
type ParametersOf<Operation, In extends 'path' | 'query'> = Operation extends {
  readonly parameters: { readonly [I in In]: infer Given extends object };
}
  ? Given
  : Operation extends { readonly parameters: { readonly [I in In]?: infer Given } }
    ? Exclude<Given, undefined>
    : never;

/** The bodies that an operation takes, by media type; never if it takes none. */
type ContentOf<Operation> = Operation extends { readonly requestBody?: infer Given }
  ? Extract<Given, { readonly content: unknown }>['content']
  : never;

/** The option that has the body of a request: `json` for JSON, `body` for any other media type. */
type BodyOf<Content> = {
  [Type in keyof Content]: Type extends `application/json${string}`
    ? Field<'json', Content[Type]> & { readonly body?: undefined }
    : { readonly body: RequestBody; readonly json?: undefined };
}[keyof Content];

/** {@link BodyOf} an operation, which may be left out where its document says so. */
type BodyField<Operation> = [ContentOf<Operation>] extends [never]
  ? unknown
  : Operation extends { readonly requestBody: unknown }
    ? BodyOf<ContentOf<Operation>>
    : Loose<Partial<BodyOf<ContentOf<Operation>>>>;

/** Statuses of a success, as keys of an operation's responses. */
type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | '2XX';

/** The body of an operation's success, else of its default response; unknown if it names neither. */
type AnswerOf<Operation> = Operation extends { readonly responses: infer Responses }
  ? keyof Responses & Success extends never
    ? Responses extends { readonly default: infer Response }
      ? AnswerBody<Response>
      : unknown
    : AnswerBody<Responses[keyof Responses & Success]>
  : unknown;

/** The body of a response, by its media type; undefined if it has none. */
type AnswerBody<Response> = Response extends { readonly content: infer Content } ? Content[keyof Content] : undefined;

/** An option that is absent where there is nothing to give, optional where all of it is, and else required. */
type Field<Name extends string, Given> = [Given] extends [never]
  ? unknown
  : Partial<Given> extends Given
    ? { readonly [N in Name]?: Given | undefined }
    : { readonly [N in Name]: Given };

/** What may be left out may be `undefined`, too, with `exactOptionalPropertyTypes`: the client leaves it out. */
type Loose<Given> = {
  readonly [Name in keyof Given]: Partial<Pick<Given, Name>> extends Pick<Given, Name>
    ? Given[Name] | undefined
    : Given[Name];
};

/** What an operation asks for. */
type GivenOf<Operation> = Field<'params', ParametersOf<Operation, 'path'>> &
  Field<'query', Loose<ParametersOf<Operation, 'query'>>> &
  BodyField<Operation>;

/** The arguments behind a path: options, which may be left out where none is required. */
type ArgumentsOf<Operation, Body> = Arguments<GivenOf<Operation>, CallOptions<Body>>;

type PaginateArguments<Operation, Page, Item> = Arguments<GivenOf<Operation>, PaginateOptions<Page, Item>>;

type Arguments<Given, Options> =
  Record<never, never> extends Given ? [options?: Given & Options] : [options: Given & Options];

/** A client whose paths, parameters and bodies are typed by OpenAPI. */
export interface TypedClient<Paths extends object> {
  /** See {@link Client.get}. */
  get<Path extends PathWith<Paths, 'GET'>, Body = AnswerOf<OperationOf<Paths, Path, 'GET'>>>(
    path: Path,
    ...options: ArgumentsOf<OperationOf<Paths, Path, 'GET'>, Body>
  ): Promise<Result<NoInfer<Body>>>;
  /** See {@link Client.request}. */
  request<M extends Method, Path extends PathWith<Paths, M>, Body = AnswerOf<OperationOf<Paths, Path, M>>>(
    method: M,
    path: Path,
    ...options: ArgumentsOf<OperationOf<Paths, Path, M>, Body>
  ): Promise<Result<NoInfer<Body>>>;
  /** See {@link Client.paginate}. */
  paginate<
    Path extends PathWith<Paths, 'GET'>,
    Page = AnswerOf<OperationOf<Paths, Path, 'GET'>>,
    Item = PageItem<Page>,
  >(
    path: Path,
    // Not as below, where `key` would not know the items that `items` returns.
    options: GivenOf<OperationOf<Paths, Path, 'GET'>> & PaginateOptions<Page, Item>,
  ): Pagination<NoInfer<Item>>;
  /** The same, where all options may be left out. */
  paginate<
    Path extends PathWith<Paths, 'GET'>,
    Page = AnswerOf<OperationOf<Paths, Path, 'GET'>>,
    Item = PageItem<Page>,
  >(path: Path, ...options: PaginateArguments<OperationOf<Paths, Path, 'GET'>, Page, Item>): Pagination<NoInfer<Item>>;
}
