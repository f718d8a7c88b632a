export { App, type AppProps, SynthesisError } from './app.ts';
export type * from './attribute-props.ts';
export * from './organization.ts';
export * from './project.ts';
export type * from './prop-types.ts';
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
