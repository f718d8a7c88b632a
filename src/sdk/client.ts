// What `attune` and `attune/service` both export.
export { AttuneError } from '../model/diagnostic.ts';
export type { Dialect, Feature } from '../model/dialect.ts';
export type { AccessLevel } from '../model/permissions.ts';
export type { WriteRequest } from '../model/plan.ts';
export type { DataRetention } from '../model/state.ts';
export type { Value } from '../model/value.ts';
export type { Announced, Capabilities } from '../service/capabilities.ts';
export {
  type ClientOptions,
  createServiceClient,
  type Query,
  type ServiceClient,
  type ServiceReader,
} from '../service/client.ts';
export type { Clock } from '../service/clock.ts';
export type { Document, ResourceObject } from '../service/documents.ts';
export type { LookUpResult, SendOptions, ServiceEvent } from '../service/exchange.ts';
export {
  type FailedRequest,
  isNotFound,
  NetworkError,
  ServiceError,
  type ServiceErrorDetail,
} from '../service/service-error.ts';
