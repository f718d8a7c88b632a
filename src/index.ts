export { type ApplyEvent, type ApplyOptions, applyPlan } from './apply/apply-plan.ts';
export type { Configuration, LookUp, LookUpPlace } from './desired/configuration.ts';
export { liveQueryOf, type QueryOptions } from './desired/live-query-of.ts';
export { type LoadOptions, type LoadResult, loadConfig } from './desired/load-config.ts';
export { lookUpNames, type NamesOf } from './desired/look-up-names.ts';
export { type Difference, type DiffOptions, diff } from './diff/diff.ts';
export type { LiveQuery } from './live/live-query.ts';
export { NoLookUpError } from './live/no-look-up-error.ts';
export { type Live, readLive } from './live/read-live.ts';
export { type NamedId, readNames } from './live/read-names.ts';
export type { AliasKind } from './model/alias-kind.ts';
export type { AppliedChange, ApplyResult } from './model/apply-result.ts';
export { AttuneError } from './model/attune-error.ts';
export type { Change, FieldChange } from './model/change.ts';
export type { Diagnostic } from './model/diagnostic.ts';
export { DiagnosticsError } from './model/diagnostics-error.ts';
export type { Call, Plan, PlannedChange } from './model/plan.ts';
export type { Resource, State } from './model/state.ts';
export { createPlan, type PlanInput } from './plan/create-plan.ts';
export {
  type ClientOptions,
  createServiceClient,
  type ServiceClient,
  type ServiceReader,
} from './service/client.ts';
export { NetworkError, ServiceError } from './service/service-error.ts';
export { createService, type Service, type ServiceOptions } from './service/typed/create-service.ts';
