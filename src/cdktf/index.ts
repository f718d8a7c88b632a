export { type ResourceType, resourceTypes } from './places.ts';
export {
  type Arguments,
  type ArgumentValue,
  type Comments,
  type ImportBlock,
  type TerraformDocument,
  type TerraformExport,
  type TerraformReference,
  type TerraformResource,
  terraformDocument,
} from './terraform-document.ts';
export {
  type ExportOptions,
  type ReadConfiguration,
  readConfiguration,
  terraformExport,
} from './terraform-export.ts';
export { WorkspaceConfiguration, type WorkspaceConfigurationProps } from './workspace-configuration.ts';
