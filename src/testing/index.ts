/**
 * A mock of the service and a virtual clock, for tests, and the cases that a store of a share must pass.
 *
 * @module stacks-quota/testing
 */

export type { ServiceAnswer } from './answer.ts';
export type { ServicePeriod } from './calendar.ts';
export type { ServiceFault, ServiceFaults } from './faults.ts';
export type { ResetStyle, ServiceHeaderOptions } from './headers.ts';
export type { ServiceKey, Tier } from './identities.ts';
export type { Latency, LatencyOption } from './latency.ts';
export { seeded } from './latency.ts';
export type { ServiceLimits } from './ledger.ts';
export type { ListeningService } from './listen.ts';
export type { LoggedRequest } from './log.ts';
export { type MockHost, type MockNetwork, mockNetwork } from './network.ts';
export type { CostQuestion, FamilyOptions, LimitedOptions, MockServiceOptions } from './options.ts';
export type { BodyContent, HeaderLines } from './page.ts';
export type { RouteMethod, RouteName, RouteParamName, RouteParams, RouteRequest, ServiceRequest } from './request.ts';
export type { RouteHandler, ServiceEndpoint } from './routes.ts';
export { createMockService, type MockService } from './service.ts';
export type { MakeStore, StoreCase } from './share/store-case.ts';
export { storeCases } from './share/store-cases.ts';
export { type VirtualClock, type VirtualClockOptions, virtualClock } from './virtual-clock.ts';
export type { WindowKind } from './windows/kinds.ts';
