import type { ShapeIssue } from '../errors.ts';
import { wrongReturn } from '../validation/arguments.ts';
import type { StandardResult, StandardSchemaV1 } from '../validation/standard-schema.ts';
import type { AddressAssets, Info } from './bodies.ts';
import { completePage, isJsonObject } from './well-formed.ts';

/** @internal */
export const infoBody: StandardSchemaV1<unknown, Info> = schemaOf<Info>(
  isJsonObject,
  async () => (await import('./schemas.ts')).infoShape,
);

/** @internal */
export const addressAssetsBody: StandardSchemaV1<unknown, AddressAssets> = schemaOf(
  completePage,
  async () => (await import('./schemas.ts')).addressAssetsShape,
);

/** A schema whose zod schema is loaded for the first body that is not well-formed, to say what is wrong with it. */
function schemaOf<Body>(
  isWellFormed: (body: unknown) => body is Body,
  load: () => Promise<StandardSchemaV1<unknown, Body>>,
): StandardSchemaV1<unknown, Body> {
  const explain = async (body: unknown): Promise<StandardResult<Body>> => (await load())['~standard'].validate(body);
  return {
    '~standard': {
      version: 1,
      vendor: 'stacks-quota',
      validate: (body) => (isWellFormed(body) ? { value: body } : explain(body)),
    },
  };
}

/** What {@link validateBody} found: the value, or the issues. */
export type BodyCheck<Body> =
  | { readonly value: Body; readonly issues?: undefined }
  | { readonly issues: readonly ShapeIssue[]; readonly cause?: RangeError };

/** Checks a body by a schema, the client's own or the caller's: synchronously, unless the schema is asynchronous. */
export function validateBody<Body>(
  schema: StandardSchemaV1<unknown, Body>,
  body: unknown,
): BodyCheck<Body> | Promise<BodyCheck<Body>> {
  try {
    const result = schema['~standard'].validate(body);
    return 'then' in Object(result)
      ? Promise.resolve(result)
          .then(checkOf<Body>)
          .catch(tooLarge)
      : checkOf(result as StandardResult<Body>);
  } catch (error) {
    return tooLarge(error);
  }
}

/** Whether a schema of the caller's returned what it must. */
export function isResult(result: StandardResult<unknown>): boolean {
  return typeof result === 'object' && result !== null && Array.isArray(result.issues ?? []);
}

function checkOf<Body>(result: StandardResult<Body>): BodyCheck<Body> {
  if (!isResult(result)) throw wrongReturn('schema', '{ value } or { issues }', result);
  if (!result.issues) return { value: result.value };
  return { issues: result.issues.map(({ message, path = [] }) => ({ message, path: path.map(keyOf).join('.') })) };
}

/** What is too deep or too large for a schema is the body's fault: the service can send it at will. */
function tooLarge(error: unknown): { readonly issues: readonly ShapeIssue[]; readonly cause: RangeError } {
  if (!(error instanceof RangeError)) throw error;
  return { issues: [{ path: '', message: 'too deep or too large to be checked' }], cause: error };
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}
