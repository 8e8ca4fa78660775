import * as z from 'zod/mini';
import type { StandardResult, StandardSchemaV1 } from '../validation/standard-schema.ts';
import type { AddressAssets, AssetEvent, Info, UnknownAssetEvent } from './bodies.ts';
import { isAmount } from './well-formed.ts';

const amount = z.pipe(
  z.custom<string | number>(isAmount, 'expected a whole number in decimal digits'),
  z.transform((digits) => String(digits)),
);
const party = z.pipe(
  z.nullish(z.string()),
  z.transform((address) => address ?? ''),
);
const seen = { event_index: z.int(), tx_id: z.string() };
const moved = { asset_event_type: z.string(), sender: party, recipient: party };

const KNOWN_EVENTS = {
  stx_asset: z.looseObject({
    ...seen,
    event_type: z.literal('stx_asset'),
    asset: z.looseObject({ ...moved, amount, memo: z.exactOptional(z.string()) }),
  }),
  fungible_token_asset: z.looseObject({
    ...seen,
    event_type: z.literal('fungible_token_asset'),
    asset: z.looseObject({ ...moved, asset_id: z.string(), amount }),
  }),
  non_fungible_token_asset: z.looseObject({
    ...seen,
    event_type: z.literal('non_fungible_token_asset'),
    asset: z.looseObject({
      ...moved,
      asset_id: z.string(),
      value: z.looseObject({ hex: z.string(), repr: z.string() }),
    }),
  }),
  stx_lock: z.looseObject({
    ...seen,
    event_type: z.literal('stx_lock'),
    stx_lock_event: z.looseObject({ locked_amount: amount, unlock_height: z.int(), locked_address: party }),
  }),
};

/** A union of schemas would let a misshapen event of a known type pass as one of an unknown type. */
const assetEvent = z.pipe(
  z.looseObject({ ...seen, event_type: z.string() }),
  z.transform((event, found): AssetEvent => {
    if (!isKnown(event.event_type)) return event as unknown as UnknownAssetEvent;
    const result = z.safeParse(KNOWN_EVENTS[event.event_type], event, { error: expectation });
    if (result.success) return result.data;
    for (const { message, path } of result.error.issues) {
      found.issues.push({ code: 'custom', message, path, input: event });
    }
    return z.NEVER;
  }),
);

/** The body of info by its schema alone, which can say what is wrong. @internal */
export const infoShape: StandardSchemaV1<unknown, Info> = standard(z.looseObject({}));

/** A page has at most 100 events. Their number is checked first: each wrong one is an issue, and millions of issues exhaust the memory. */
const shortArray = z.custom(
  (given) => !Array.isArray(given) || given.length <= 1_000,
  'expected at most 1,000 elements',
);

/** A page by its schema alone, which can say what is wrong. @internal */
export const addressAssetsShape: StandardSchemaV1<unknown, AddressAssets> = standard(
  z.looseObject({ limit: z.int(), offset: z.int(), total: z.int(), results: z.pipe(shortArray, z.array(assetEvent)) }),
);

function standard<Body>(schema: z.ZodMiniType<Body>): StandardSchemaV1<unknown, Body> {
  const validate = (body: unknown): StandardResult<Body> => {
    const result = z.safeParse(schema, body, { error: expectation });
    return result.success ? { value: result.data } : { issues: result.error.issues };
  };
  return { '~standard': { version: 1, vendor: 'stacks-quota', validate } };
}

/** In words that never repeat what the body held: `zod/mini` has none of its own, and its locales are global. */
function expectation(issue: { readonly code?: string; readonly expected?: unknown; readonly input?: unknown }): string {
  return `expected ${issue.expected ?? 'something else'}, not ${kindOf(issue.input)}`;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function isKnown(type: string): type is keyof typeof KNOWN_EVENTS {
  return Object.hasOwn(KNOWN_EVENTS, type);
}
