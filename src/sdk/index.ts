export { AttuneError } from '../model/attune-error.ts';
export type { Dialect } from '../model/dialect.ts';
export type { Feature } from '../model/feature.ts';
export type { AccessLevel } from '../model/permissions.ts';
export type { WriteRequest } from '../model/plan.ts';
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
  type Explanation,
  type FailedRequest,
  isNotFound,
  NetworkError,
  ServiceError,
  type ServiceErrorDetail,
} from '../service/service-error.ts';
export { createService, type Service, type ServiceOptions } from './create-service.ts';
export type {
  AgentPoolDocument,
  LookUpEndpoints,
  NamedAttributes,
  NameFilter,
  OauthClientDocument,
  OauthClientEndpoints,
  OauthTokenDocument,
  OrganizationDocument,
  OrganizationEndpoints,
  ProjectDocument,
  ProjectOverwrites,
  SshKeyDocument,
  TeamDocument,
} from './look-ups.ts';
export type {
  NewNotification,
  NotificationDelivery,
  NotificationDestination,
  NotificationDocument,
  NotificationEndpoints,
  NotificationSettings,
  NotificationSubject,
  NotificationTrigger,
} from './notifications.ts';
export type {
  ProjectEndpoints,
  ProjectFilter,
  ProjectPermission,
  ProjectSettings,
} from './projects.ts';
export type {
  RecoverableItemDocument,
  RecoverableItemEndpoints,
  RecoverableItemFilter,
  RecoverableItemOptions,
  RecoverableItemOrder,
} from './recoverable-items.ts';
export type {
  PageQuery,
  Relationship,
  ResourceIdentifier,
  ResourcePage,
  ServiceResource,
} from './resource.ts';
export type {
  NewTeamProject,
  ProjectPermissions,
  TeamProjectAttributes,
  TeamProjectDocument,
  TeamProjectEndpoints,
  WorkspacePermissions,
} from './team-projects.ts';
export type {
  NewWorkspace,
  WorkspaceAttributes,
  WorkspaceDocument,
  WorkspaceInclude,
  WorkspaceRef,
  WorkspaceRelationship,
  WorkspaceUpdate,
} from './workspace.ts';
export type {
  ConsumerEndpoints,
  RetentionEndpoints,
  RetentionPolicy,
  RetentionRule,
  TagDocument,
  TagEndpoints,
  TagRef,
} from './workspace-relations.ts';
export type { SettingOverwrites, VcsRepository, WorkspaceSettings } from './workspace-settings.ts';
export type {
  IncludeOptions,
  WorkspaceEndpoints,
  WorkspaceFilter,
  WorkspaceOrder,
} from './workspaces.ts';
