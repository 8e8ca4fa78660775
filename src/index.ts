export type {
  AddressAssets,
  AssetEvent,
  AssetEventKind,
  FungibleTokenAssetEvent,
  Info,
  NonFungibleTokenAssetEvent,
  StandardIssue,
  StandardResult,
  StandardSchemaV1,
  StxAssetEvent,
  StxLockEvent,
  UnknownAssetEvent,
  UnknownEventType,
} from './bodies.ts';
export {
  type Client,
  createClient,
  type HeadersOnlyOptions,
  type HeadersResult,
  type QuotaState,
  type Result,
} from './client.ts';
export { type Clock, systemClock } from './clock.ts';
export type { AddressAssetsParams } from './endpoints.ts';
export {
  ClosedError,
  ConfigError,
  ConnectionError,
  type ErrorFacts,
  isClosed,
  isConfigError,
  isConnectionError,
  isQuotaExhausted,
  isResponseShape,
  isServiceError,
  QuotaExhaustedError,
  ResponseShapeError,
  ServiceError,
  type ShapeIssue,
} from './errors.ts';
export type { ClientEvent, EventListener } from './events.ts';
export type { CallOptions, ClientOptions } from './options.ts';
export type { Reason } from './quota/admission.ts';
export { type QuotaSnapshot, readQuota, type WindowQuota } from './quota/snapshot.ts';
export type { WindowView } from './quota/view.ts';
export type { Period } from './quota/windows.ts';
export { type QuotaShare, wholeShare } from './share.ts';
