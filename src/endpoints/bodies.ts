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
