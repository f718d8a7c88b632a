export { type PlanEffectsInput, withEffects } from './access/effects.ts';
export * from './apply/apply-plan.ts';
export {
  type CallRecord,
  type ChangeRecord,
  type EndRecord,
  type HeldRecord,
  type Journal,
  JournalError,
  type JournalFile,
  type JournalRecord,
  type KeptRecord,
  type OutcomeRecord,
  openJournal,
  type RunRecord,
} from './apply/journal/journal.ts';
export { type EffectiveField, type EntryOrigin, effectiveFields, type Origin } from './desired/explain.ts';
export { type LoadOptions, type LoadResult, loadConfig, type Shard } from './desired/load-config.ts';
export type { LoadedRoot } from './desired/load-root.ts';
export type { PolicyFiles } from './desired/policies.ts';
export type { UnfinishedCreations } from './diff/comparison.ts';
export { type Difference, type DiffOptions, diff } from './diff/diff.ts';
export type { PlanClock } from './hold/at-time.ts';
export type { AccessFacts, Caller, OrganizationFacts, TeamFacts } from './live/access-facts.ts';
export type { LiveQuery } from './live/live-query.ts';
export { type Live, type LiveSource, type NamesOptions, readLive, serviceSource } from './live/read-live.ts';
export { type ListedObject, type NamedId, NoLookUpError, readNames } from './live/read-names.ts';
export { type AliasKind, aliasKindTable } from './model/alias-kind.ts';
export type { AppliedChange, ApplyResult, CallError, Outcome } from './model/apply-result.ts';
export type * from './model/attribute-values.ts';
export {
  type Action,
  actions,
  type Cause,
  type Change,
  type ChangeBase,
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
  type Diagnostic,
  DiagnosticsError,
  type Severity,
  type SourceLocation,
  severities,
} from './model/diagnostic.ts';
export { dialects } from './model/dialect.ts';
export type {
  DeclaredLayers,
  Field,
  Fields,
  Layered,
  LayerName,
  RemovedField,
  WrittenList,
} from './model/fields.ts';
export type { BindingRule, ListRule, TagBindings } from './model/list-rule.ts';
export {
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
  type NoLongerDeclared,
  type Operation,
  type Overview,
  operations,
  type Plan,
  type PlannedChange,
  type PlanPurpose,
  type PlanSummary,
  type StateAccessChange,
  type UndeclaredGrant,
  type WorkspaceOverview,
} from './model/plan.ts';
export type * from './model/results.ts';
export {
  type Exception,
  type FreezeWindow,
  type Hold,
  type HoldRules,
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
export type { Moment, Values } from './model/value.ts';
export { createPlan, type PlanInput, type PlanOfCalls, type Waiting } from './plan/create-plan.ts';
export type { Paint, Style } from './report/paint.ts';
export * from './report/render-report.ts';
export * from './report/report.ts';
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
export type { ImportFilters, ImportOptions } from './run/import-files.ts';
export { type MakePlanOptions, makePlan } from './run/make-plan.ts';
export * from './run/use-cases.ts';
export * from './sdk/client.ts';
export * from './testing/test-configuration.ts';
