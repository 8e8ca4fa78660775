import * as z from 'zod/mini';
import type { ShapeIssue } from '../errors.ts';
import type { StandardResult, StandardSchemaV1 } from '../validation/standard-schema.ts';
import { completePage, isAmount } from './well-formed.ts';

/** The body of `GET /extended/v1/info`: not documented, so nothing is promised about its fields. */
export type Info = Readonly<Record<string, unknown>>;

/** The body of `GET /extended/v1/address/<address>/assets`: one page of an account's asset events, latest first. */
export interface AddressAssets {
  /** How many events a page holds at most. */
  readonly limit: number;
  /** How many events were skipped. */
  readonly offset: number;
  /** How many events there are; but 0 on a page past the end, so end a walk on a short page and not on this. */
  readonly total: number;
  readonly results: readonly AssetEvent[];
}

/** Something that happened to an account's assets. Told apart by `event_type`; new types may appear. */
export type AssetEvent =
  | StxAssetEvent
  | FungibleTokenAssetEvent
  | NonFungibleTokenAssetEvent
  | StxLockEvent
  | UnknownAssetEvent;

/** `transfer`, `mint` or `burn`; others may appear. */
export type AssetEventKind = 'transfer' | 'mint' | 'burn' | (string & {});

/** A transfer, mint or burn of STX. */
export interface StxAssetEvent {
  readonly event_index: number;
  readonly event_type: 'stx_asset';
  readonly tx_id: string;
  readonly asset: {
    readonly asset_event_type: AssetEventKind;
    /** Empty if there is none. */
    readonly sender: string;
    /** Empty if there is none. */
    readonly recipient: string;
    /** Micro-STX, in decimal digits: up to 128 bits, so `BigInt(amount)` and never `Number(amount)`. */
    readonly amount: string;
    readonly memo?: string;
  };
}

/** A transfer, mint or burn of fungible tokens. */
export interface FungibleTokenAssetEvent {
  readonly event_index: number;
  readonly event_type: 'fungible_token_asset';
  readonly tx_id: string;
  readonly asset: {
    readonly asset_event_type: AssetEventKind;
    /** `<address>.<contract>::<token>`. */
    readonly asset_id: string;
    /** Empty if there is none. */
    readonly sender: string;
    /** Empty if there is none. */
    readonly recipient: string;
    /** The token's smallest units, in decimal digits: up to 128 bits, so `BigInt(amount)` and never `Number(amount)`. */
    readonly amount: string;
  };
}

/** A transfer, mint or burn of a non-fungible token. */
export interface NonFungibleTokenAssetEvent {
  readonly event_index: number;
  readonly event_type: 'non_fungible_token_asset';
  readonly tx_id: string;
  readonly asset: {
    readonly asset_event_type: AssetEventKind;
    /** `<address>.<contract>::<token>`. */
    readonly asset_id: string;
    /** Empty if there is none. */
    readonly sender: string;
    /** Empty if there is none. */
    readonly recipient: string;
    /** Which token: a Clarity value, serialised and in words. */
    readonly value: { readonly hex: string; readonly repr: string };
  };
}

/** A lock of STX. */
export interface StxLockEvent {
  readonly event_index: number;
  readonly event_type: 'stx_lock';
  readonly tx_id: string;
  readonly stx_lock_event: {
    /** Micro-STX, in decimal digits: up to 128 bits, so `BigInt(amount)` and never `Number(amount)`. */
    readonly locked_amount: string;
    /** The burnchain block height at which it unlocks. */
    readonly unlock_height: number;
    readonly locked_address: string;
  };
}

/** An event of a type that this version does not know: what the service sent, as it is. */
export interface UnknownAssetEvent {
  readonly event_index: number;
  readonly event_type: UnknownEventType;
  readonly tx_id: string;
  readonly [field: string]: unknown;
}

/**
 * The name of an event type that this version does not know: text, so `String(event.event_type)` reads it. It is not
 * typed as text, for then a check of `event_type` would not narrow an {@link AssetEvent}: any text may be `'stx_lock'`.
 */
export interface UnknownEventType {
  readonly known: false;
  /** The type, as text. */
  toString(): string;
}

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

/** @internal */
export const infoBody: StandardSchemaV1<unknown, Info> = standard(z.looseObject({}));

/** A page holds 100. Counted before any is looked at: each that is wrong is an issue, and millions of those end a process. */
const few = z.custom((given) => !Array.isArray(given) || given.length <= 1_000, 'expected at most 1,000 elements');

/** A page by its schema alone, which can say what is wrong. @internal */
export const addressAssetsShape: StandardSchemaV1<unknown, AddressAssets> = standard(
  z.looseObject({ limit: z.int(), offset: z.int(), total: z.int(), results: z.pipe(few, z.array(assetEvent)) }),
);

/** @internal */
export const addressAssetsBody: StandardSchemaV1<unknown, AddressAssets> = {
  '~standard': {
    ...addressAssetsShape['~standard'],
    validate: (body) => (completePage(body) ? { value: body } : addressAssetsShape['~standard'].validate(body)),
  },
};

/** What {@link validateBody} found: the value, or the issues. */
export type BodyCheck<Body> =
  | { readonly value: Body; readonly issues?: undefined }
  | { readonly issues: readonly ShapeIssue[]; readonly cause?: RangeError };

/** Holds a body against a schema, the client's own or the caller's, and waits if it takes its time. */
export async function validateBody<Body>(
  schema: StandardSchemaV1<unknown, Body>,
  body: unknown,
): Promise<BodyCheck<Body>> {
  try {
    const result = await schema['~standard'].validate(body);
    if (result.issues === undefined) return { value: result.value };
    return { issues: result.issues.map(({ message, path = [] }) => ({ message, path: path.map(keyOf).join('.') })) };
  } catch (error) {
    // What is too deep or too large for a schema is the body's fault: the service can send it at will.
    if (!(error instanceof RangeError)) throw error;
    return { issues: [{ path: '', message: 'too deep or too large to be checked' }], cause: error };
  }
}

function keyOf(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment);
}

function standard<Body>(schema: z.ZodMiniType<Body>): StandardSchemaV1<unknown, Body> {
  const validate = (body: unknown): StandardResult<Body> => {
    const result = z.safeParse(schema, body, { error: expectation });
    return result.success ? { value: result.data } : { issues: result.error.issues };
  };
  return { '~standard': { version: 1, vendor: 'stacks-quota', validate } };
}

/** In words that never repeat what the body held: `zod/mini` has none of its own, and its locales are global. */
function expectation(issue: { readonly code?: string; readonly expected?: unknown; readonly input?: unknown }): string {
  const { input } = issue;
  const given =
    input === undefined ? 'nothing' : input === null ? 'null' : Array.isArray(input) ? 'array' : typeof input;
  return `expected ${issue.expected ?? 'something else'}, not ${given}`;
}

function isKnown(type: string): type is keyof typeof KNOWN_EVENTS {
  return Object.hasOwn(KNOWN_EVENTS, type);
}
