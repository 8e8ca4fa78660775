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
export type { Bulk, BulkCall, BulkOutcome, BulkTurn } from './bulk.ts';
export type { BulkCheckpoint, BulkOptions } from './bulk-options.ts';
export type { BulkProgress } from './bulk-progress.ts';
export { createClient } from './client.ts';
export { type Clock, systemClock } from './clock.ts';
export type { Client, HeadersOnlyOptions, HeadersResult, QuotaState, Result } from './contract.ts';
export type { AddressAssetsParams, Endpoint } from './endpoints.ts';
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
export type { CallEvent, CallStoryEvent, ClientEvent, EventListener, ShareEvent } from './events.ts';
export type { FetchOptions } from './fetch-options.ts';
export type { MonthState } from './month.ts';
export type { CallOptions, ClientOptions } from './options.ts';
export type { Estimate, EstimateOptions } from './outlook.ts';
export type { WalkCheckpoint } from './place.ts';
export type { QueuedCall, QueueOptions } from './queue.ts';
export type { Reason } from './quota/admission.ts';
export { type QuotaSnapshot, readQuota, type WindowQuota } from './quota/snapshot.ts';
export type { WindowView } from './quota/view.ts';
export type { Period } from './quota/windows.ts';
export { type QuotaShare, wholeShare } from './share.ts';
export type { SparingOptions } from './sparing.ts';
export type { AddressAssetsWalk, WalkOptions, WalkPage } from './walk.ts';
