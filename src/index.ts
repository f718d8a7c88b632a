export { type PlanEffectsInput, withEffects } from './access/effects.ts';
export { type ApplyEvent, type ApplyOptions, applyPlan } from './apply/apply-plan.ts';
export type {
  CallRecord,
  ChangeRecord,
  EndRecord,
  HeldRecord,
  Journal,
  JournalRecord,
  KeptRecord,
  OutcomeRecord,
  RunRecord,
} from './apply/journal/journal.ts';
export { JournalError, type JournalFile, openJournal } from './apply/journal/journal.ts';
export {
  type EffectiveField,
  type EntryOrigin,
  effectiveFields,
  type Origin,
} from './desired/effective-fields.ts';
export type { Shard } from './desired/load-config.ts';
export { type LoadOptions, type LoadResult, loadConfig } from './desired/load-config.ts';
export type { LoadedRoot } from './desired/load-root.ts';
export type { PolicyFiles } from './desired/policies.ts';
export type { UnfinishedCreations } from './diff/comparison.ts';
export { type Difference, type DiffOptions, diff } from './diff/diff.ts';
export type { PlanClock } from './hold/at-time.ts';
export type { AccessFacts, Caller, OrganizationFacts, TeamFacts } from './live/access-facts.ts';
export type { LiveQuery } from './live/live-query.ts';
export { type LiveSource, type NamesOptions, serviceSource } from './live/live-source.ts';
export { type Live, readLive } from './live/read-live.ts';
export { type ListedObject, type NamedId, NoLookUpError, readNames } from './live/read-names.ts';
export { type AliasKind, aliasKindTable } from './model/alias-kind.ts';
export type { AppliedChange, ApplyResult, CallError, Outcome } from './model/apply-result.ts';
export type {
  AttributePath,
  AttributeValues,
  PermissionPath,
  ProjectAttributeValues,
  ProjectPath,
} from './model/attribute-values.ts';
export {
  type Action,
  actions,
  type Cause,
  type Change,
  type ChangeBase,
  causes,
  type FieldChange,
  type GrantChange,
  type ProjectChange,
  type WorkspaceChange,
} from './model/change.ts';
export type {
  AdminGuard,
  Aliases,
  Base,
  BaseDeclarations,
  Configuration,
  Guards,
  Limits,
  LiveScope,
  LookUp,
  LookUpPlace,
  ManagedName,
  Protection,
  Prune,
  Scope,
  ServiceSettings,
  WrittenId,
} from './model/configuration.ts';
export {
  AttuneError,
  type Diagnostic,
  DiagnosticsError,
  type Severity,
  type SourceLocation,
  severities,
} from './model/diagnostic.ts';
export type { Feature } from './model/dialect.ts';
export { type Dialect, dialects } from './model/dialect.ts';
export type {
  DeclaredLayers,
  Field,
  Fields,
  Layered,
  LayerName,
  LayersByAddress,
  RemovedField,
  WrittenList,
} from './model/fields.ts';
export type { BindingRule, ListRule, TagBindings } from './model/list-rule.ts';
export {
  type AccessLevel,
  accessLevels,
  type FixedLevel,
  fixedLevels,
  type Permission,
  type Permissions,
} from './model/permissions.ts';
export {
  type Call,
  type Effects,
  type GrantOverview,
  type GrantState,
  type InheritedSetting,
  type InheritedTags,
  type MoveEffect,
  type NextFreeze,
  type NoLongerDeclared,
  type Operation,
  type Overview,
  type OverviewIds,
  operations,
  type Plan,
  type PlanBase,
  type PlannedChange,
  type PlanPurpose,
  type PlanSummary,
  type ScopeReading,
  type StateAccessChange,
  scopeReadings,
  type UndeclaredGrant,
  type WorkspaceOverview,
  type WriteRequest,
} from './model/plan.ts';
export type {
  AcceptedException,
  AcceptedField,
  AcceptedValue,
  AcceptResult,
  AccessQuestion,
  AccessResult,
  AccessRight,
  AccessRow,
  AccessSource,
  EditedFile,
  ImportedFile,
  ImportResult,
  SharingSource,
  StateAccessRow,
  TeamAccessRow,
} from './model/results.ts';
export {
  type Exception,
  type FreezeWindow,
  type Hold,
  type HoldRules,
  type HoldSource,
  holdSources,
  type MessageEvent,
  messageEvents,
  type Period,
  type Policy,
  type PolicyExpression,
  type PolicyResult,
  type PolicySubject,
  policySubjects,
  type Receiver,
  type ReceiverKind,
  type RuleOfRoot,
  receiverKinds,
} from './model/rules.ts';
export type { Selector, Texts } from './model/selector.ts';
export {
  type ConsumerRef,
  type DataRetention,
  type Declared,
  type DeleteMode,
  type GrantResource,
  type GrantValues,
  type LockValue,
  type ProjectResource,
  type ProjectValues,
  type Resource,
  type ResourceBase,
  type ResourceKind,
  type ResourceOf,
  resourceKinds,
  type State,
  type WorkspaceResource,
  type WorkspaceValues,
} from './model/state.ts';
export type { Moment, Value, Values } from './model/value.ts';
export { createPlan, type PlanInput, type PlanOfCalls, type Waiting } from './plan/create-plan.ts';
export type { Paint, Style } from './report/paint.ts';
export { renderReport } from './report/render-report.ts';
export {
  type RenderOptions,
  type Report,
  type ReportEntry,
  type ReportFormat,
  type ReportKind,
  type ReportOrigin,
  reportExtensions,
  reportFormats,
} from './report/report.ts';
export { liveQueryOf } from './resolve/live-query-of.ts';
export { lookUpNames, type NamesOf } from './resolve/look-up-names.ts';
export type { NameUse, PlanSelection, QueryOptions } from './resolve/plan-request.ts';
export type { AcceptOptions } from './run/accept-differences.ts';
export type { AccessRequest } from './run/access-of.ts';
export type {
  BaseOptions,
  JournalOptions,
  Notices,
  Progress,
  RunObserver,
  RunOptions,
  RunSettings,
} from './run/context.ts';
export { RefusedError } from './run/errors.ts';
export type { ImportFilters, ImportOptions } from './run/import-live.ts';
export { type MakePlanOptions, makePlan } from './run/make-plan.ts';
export {
  type AcceptLiveOptions,
  type AccessOfOptions,
  type AppliedFiles,
  type ApplyFilesOptions,
  type ApplySavedPlanOptions,
  type ApplyUndoOptions,
  acceptLive,
  accessOf,
  applyFiles,
  applySavedPlan,
  applyUndo,
  type DetectedDrift,
  detectDrift,
  type FailedRoot,
  type ImportOrganizationOptions,
  importOrganization,
  type PlanFilesOptions,
  type PlannedFiles,
  planFiles,
} from './run/use-cases.ts';
export type { Announced, Capabilities } from './service/capabilities.ts';
export {
  type ClientOptions,
  createServiceClient,
  type Query,
  type ServiceClient,
  type ServiceReader,
} from './service/client.ts';
export type { Clock } from './service/clock.ts';
export type { Document, ResourceObject } from './service/documents.ts';
export type { LookUpResult, SendOptions, ServiceEvent } from './service/exchange.ts';
export {
  type FailedRequest,
  isNotFound,
  NetworkError,
  ServiceError,
  type ServiceErrorDetail,
} from './service/service-error.ts';
export {
  type TestedConfiguration,
  type TestedWorkspace,
  testConfiguration,
} from './testing/test-configuration.ts';
