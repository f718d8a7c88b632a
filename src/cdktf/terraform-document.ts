import type { TerraformExport } from './terraform-export.ts';
import { resourceAddress, resourceBody, toTemplate } from './terraform-resource.ts';

/** The oldest version of Terraform that supports `import` blocks. */
export const terraformVersion = '>= 1.5';
export const provider = { name: 'tfe', source: 'hashicorp/tfe', version: '~> 0.70' } as const;

/** An `import` block. */
export interface ImportBlock {
  readonly to: string;
  readonly id: string;
}

/** A Terraform file in JSON syntax. */
export interface TerraformDocument {
  readonly '//': Comments;
  readonly terraform: object;
  readonly provider: object;
  readonly import?: readonly ImportBlock[];
  readonly resource?: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

/** The value of `//`, which Terraform ignores. */
export interface Comments {
  readonly 'written-by': string;
  readonly organization: string;
  /** Declared settings that Terraform's provider does not support, or supports with restrictions. */
  readonly 'not-carried-over': readonly string[];
}

/**
 * The export as one Terraform file. The address and the token come from the environment (`TFE_HOSTNAME`, `TFE_TOKEN`);
 * each workspace names the organization, so that the environment cannot select another one by accident.
 *
 * @example
 * ```ts
 * const document = terraformDocument(terraformExport(configuration, { live }));
 * console.log(document.import?.[0]);
 * // { to: 'tfe_workspace.billing-prod', id: 'ws-billing' }
 * ```
 */
export function terraformDocument(exported: TerraformExport): TerraformDocument {
  const imports = importBlocks(exported);
  const resource: Record<string, Record<string, object>> = {};
  for (const one of exported.resources) {
    resource[one.type] = { ...resource[one.type], [one.name]: resourceBody(one) };
  }
  const { name, source, version } = provider;
  return {
    '//': commentsOf(exported),
    terraform: { required_version: terraformVersion, required_providers: { [name]: { source, version } } },
    provider: { [name]: [{}] },
    ...(imports.length > 0 && { import: imports }),
    ...(exported.resources.length > 0 && { resource }),
  };
}

export function importBlocks({ resources }: TerraformExport): readonly ImportBlock[] {
  return resources.flatMap((resource) =>
    resource.importId === undefined
      ? []
      : [{ to: resourceAddress(resource), id: String(toTemplate(resource.importId)) }],
  );
}

export function commentsOf({ organization, unsupported }: TerraformExport): Comments {
  return {
    'written-by': 'attune export terraform',
    organization,
    'not-carried-over': unsupported.map(({ message }) => message),
  };
}
