export type { Bulk, BulkCall, BulkOutcome, BulkTurn } from './bulk/bulk.ts';
export type { BulkCheckpoint, BulkOptions } from './bulk/options.ts';
export type { BulkProgress } from './bulk/progress.ts';
export type { Client, HeadersOnlyOptions, HeadersResult, QuotaState, Result } from './client/client.ts';
export { createClient } from './client/create-client.ts';
export type { MonthState } from './client/month-state.ts';
export { type Clock, systemClock } from './clock.ts';
export type { AddressAssetsParams, Endpoint } from './endpoints/endpoints.ts';
export type {
  AddressAssets,
  AssetEvent,
  AssetEventKind,
  FungibleTokenAssetEvent,
  Info,
  NonFungibleTokenAssetEvent,
  StxAssetEvent,
  StxLockEvent,
  UnknownAssetEvent,
  UnknownEventType,
} from './endpoints/schemas.ts';
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
export type { FetchOptions } from './fetch/options.ts';
export type { ReserveOptions } from './options/bulk-reserve-options.ts';
export type { CallOptions, ClientOptions } from './options/client-options.ts';
export type { Reason, ReasonKind } from './quota/admission.ts';
export { type QuotaSnapshot, readQuota, type WindowQuota } from './quota/headers/snapshot.ts';
export type { Period } from './quota/time/periods.ts';
export type { WindowView } from './quota/view.ts';
export type { Estimate, EstimateOptions } from './scheduler/estimate.ts';
export { type QuotaShare, wholeShare } from './share.ts';
export type { QueuedCall, QueueOptions } from './trace/queue-view.ts';
export type { StandardIssue, StandardResult, StandardSchemaV1 } from './validation/standard-schema.ts';
export type { WalkCheckpoint } from './walk/cursor.ts';
export type { AddressAssetsWalk, WalkOptions, WalkPage } from './walk/walk.ts';
