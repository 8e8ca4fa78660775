/**
 * A mock of the service and a virtual clock, for tests, and the cases that a store of a share must pass.
 *
 * @module stacks-quota/testing
 */

export type { ServiceAnswer } from './answer.ts';
export { type VirtualClock, type VirtualClockOptions, virtualClock } from './clock/virtual-clock.ts';
export type { ServiceFault, ServiceFaults } from './faults.ts';
export type { ResetStyle, ServiceHeaderOptions } from './headers.ts';
export type { Latency, LatencyOption } from './latency.ts';
export { seeded } from './latency.ts';
export type { ServicePeriod } from './limits/calendar.ts';
export type { ServiceKey, Tier } from './limits/identities.ts';
export type { ServiceLimits } from './limits/ledger.ts';
export type { WindowKind } from './limits/windows/kinds.ts';
export type { LoggedRequest } from './log.ts';
export type { ListeningService } from './network/listen.ts';
export { type MockHost, type MockNetwork, mockNetwork } from './network/network.ts';
export type { CostQuestion, FamilyOptions, LimitedOptions, MockServiceOptions } from './options.ts';
export type { BodyContent, HeaderLines } from './routes/page.ts';
export type {
  RouteMethod,
  RouteName,
  RouteParamName,
  RouteParams,
  RouteRequest,
  ServiceRequest,
} from './routes/request.ts';
export type { RouteHandler, ServiceEndpoint } from './routes/routes.ts';
export { createMockService, type MockService } from './service.ts';
export type { MakeStore, StoreCase } from './share/store-case.ts';
export { storeCases } from './share/store-cases.ts';
