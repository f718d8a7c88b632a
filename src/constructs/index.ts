export type {
  CustomAccess,
  EndingProps,
  GrantOptions,
  Level,
  ProjectAccessProps,
  RoleName,
  RoleProps,
  WorkspaceAccessProps,
} from './access-props.ts';
export { App, type AppProps } from './app.ts';
export type { AttributeProps, SettingOverwritesProps, VcsRepoProps } from './attribute-props.ts';
export type { ExceptionProps, FreezeProps, RolloutProps } from './hold-props.ts';
export type { List, TagBindingProps, TagMap } from './list.ts';
export {
  type AliasProps,
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
export { Project, type ProjectProps, TeamAccess, type TeamAccessProps } from './project.ts';
export type { Reference } from './reference.ts';
export { SynthesisError } from './synthesize.ts';
export { Tags } from './tags.ts';
export { Team, type TeamProps } from './team.ts';
export {
  type Consumer,
  type InheritingProps,
  type TemplateProps,
  Workspace,
  type WorkspaceDefaults,
  type WorkspaceProps,
  type WorkspaceSelector,
} from './workspace.ts';
