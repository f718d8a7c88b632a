export { App, type AppProps, SynthesisError } from './app.ts';
export type {
  AttributeProps,
  ProjectAccessProps,
  ProjectAttributeProps,
  SettingOverwritesProps,
  VcsRepoProps,
  WorkspaceAccessProps,
} from './attribute-props.ts';
export {
  type AliasProps,
  type ExceptionProps,
  type FreezeProps,
  type GuardsProps,
  type LimitsProps,
  Organization,
  type OrganizationProps,
  type PolicyProps,
  type PruneProps,
  type ReceiverProps,
  type ScopeProps,
  type ServiceProps,
} from './organization.ts';
export {
  type CustomAccess,
  type EndingProps,
  type GrantOptions,
  type Level,
  Project,
  type ProjectProps,
  type RoleName,
  type RoleProps,
  Team,
  TeamAccess,
  type TeamAccessProps,
  type TeamProps,
} from './project.ts';
export type { List, Reference, TagBindingProps, TagMap } from './prop-types.ts';
export { Tags } from './tags.ts';
export {
  type Consumer,
  type InheritingProps,
  type TemplateProps,
  Workspace,
  type WorkspaceDefaults,
  type WorkspaceProps,
  type WorkspaceSelector,
} from './workspace.ts';
