export { type ReadConfiguration, readConfiguration } from './read-configuration.ts';
export { type TerraformDocument, terraformDocument } from './terraform-document.ts';
export { type ExportOptions, type TerraformExport, terraformExport } from './terraform-export.ts';
export { WorkspaceConfiguration, type WorkspaceConfigurationProps } from './workspace-configuration.ts';
