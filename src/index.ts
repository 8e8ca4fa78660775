/**
 * The client, its options, errors and events. Begin with {@link createClient}.
 *
 * @module stacks-quota
 */

export type { Bulk, BulkCall, BulkOutcome, BulkTurn } from './bulk/bulk.ts';
export type { BulkCheckpoint, BulkOptions } from './bulk/options.ts';
export type { BulkProgress } from './bulk/progress.ts';
export type {
  Client,
  CloseReport,
  HeadersOnlyOptions,
  QuotaState,
  WindowState,
} from './client/client.ts';
export { createClient } from './client/create-client.ts';
export type { MonthState } from './client/month-state.ts';
export type { TypedClient } from './client/openapi.ts';
export { readFamilies, readQuota } from './client/read-headers.ts';
export type { BodyOptions, GetOptions, Method, PathArguments, PathParams, RequestOptions } from './client/requests.ts';
export type { ResponseHead } from './client/response-head.ts';
export type { HeadersResult, Result } from './client/result.ts';
export { backgroundClock, type Clock, systemClock } from './clock.ts';
export { checkAddress } from './endpoints/address.ts';
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
} from './endpoints/bodies.ts';
export type { AddressAssetsParams, Endpoint, RequestBody } from './endpoints/endpoints.ts';
export type { ParamValue, PathParamName, Query } from './endpoints/path-template.ts';
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
  unwrapError,
} from './errors.ts';
export type { CallEvent, CallStoryEvent, ClientEvent, EventListener, ShareEvent } from './events.ts';
export type { FetchOptions } from './fetch/options.ts';
export type { ReserveOptions } from './options/bulk-reserve-options.ts';
export type { CallOptions, ClientOptions } from './options/client-options.ts';
export type { PoolMember } from './pool/member.ts';
export { createPool, type Pool } from './pool/pool.ts';
export type { Reason, ReasonKind } from './quota/admission.ts';
export type { FamilyQuota } from './quota/headers/families.ts';
export type { QuotaSnapshot, WindowQuota } from './quota/headers/snapshot.ts';
export type { Period } from './quota/time/periods.ts';
export type { WindowView } from './quota/view.ts';
export type { Estimate, EstimateOptions } from './scheduler/outlook/estimate.ts';
export { type QuotaShare, wholeShare } from './share.ts';
export type { Logger } from './trace/log.ts';
export type { QueuedCall, QueueOptions } from './trace/queue-view.ts';
export type { StandardIssue, StandardResult, StandardSchemaV1 } from './validation/standard-schema.ts';
export type { WalkCheckpoint } from './walk/cursor.ts';
export type { YieldedPage } from './walk/page-loop.ts';
export type { PageCheckpoint, PageItem, PaginateOptions, Pagination } from './walk/paginate.ts';
export type { AddressAssetsWalk, WalkOptions, WalkPage } from './walk/walk.ts';
