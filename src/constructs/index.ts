export { App, type AppProps } from './app.ts';
export type { AttributeProps, SettingOverwritesProps, VcsRepoProps } from './attribute-props.ts';
export type {
  CustomAccess,
  Level,
  ProjectAccessProps,
  TeamAccessProps,
  WorkspaceAccessProps,
} from './grant-props.ts';
export { Organization } from './organization.ts';
export type {
  AliasProps,
  LimitsProps,
  OrganizationProps,
  PruneProps,
  ScopeProps,
  ServiceProps,
} from './organization-props.ts';
export { Project, type ProjectProps } from './project.ts';
export type { Reference } from './reference.ts';
export { SynthesisError } from './synthesis-error.ts';
export { Tags } from './tags.ts';
export { Team, type TeamProps } from './team.ts';
export { TeamAccess } from './team-access.ts';
export { Workspace } from './workspace.ts';
export type {
  Consumer,
  ConsumerList,
  TagList,
  TemplateProps,
  WorkspaceDefaults,
  WorkspaceProps,
} from './workspace-props.ts';
