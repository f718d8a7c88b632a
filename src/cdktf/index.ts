export { type ResourceType, resourceTypes } from './places.ts';
export {
  type Comments,
  type ImportBlock,
  type TerraformDocument,
  terraformDocument,
} from './terraform-document.ts';
export {
  type ExportOptions,
  type ReadConfiguration,
  readConfiguration,
  type TerraformExport,
  terraformExport,
} from './terraform-export.ts';
export type {
  Arguments,
  ArgumentValue,
  TerraformReference,
  TerraformResource,
} from './terraform-resource.ts';
export { WorkspaceConfiguration, type WorkspaceConfigurationProps } from './workspace-configuration.ts';
