import type { Configuration } from '../desired/configuration.ts';
import { diff } from '../diff/diff.ts';
import type { Live } from '../live/read-live.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Change } from '../model/change.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { type ProjectResource, type Resource, resourceKinds, resourcesOf } from '../model/state.ts';
import { exportKind, exportKinds } from './kinds.ts';
import { resourceTypes } from './places.ts';
import { resourceNames } from './resource-names.ts';
import {
  referTo,
  resourceAddress,
  type TerraformReference,
  type TerraformResource,
} from './terraform-resource.ts';

/** A configuration as Terraform's provider holds it. Plain data; the renderers make a file or constructs of it. */
export interface TerraformExport {
  readonly organization: string;
  /** By type in the order of the table of types, then by name. */
  readonly resources: readonly TerraformResource[];
  /** What is declared and not carried over, or not in the same way: a warning or a note each. */
  readonly unsupported: readonly Diagnostic[];
  /** What a plan of the same would have to say: warnings and notes. */
  readonly diagnostics: readonly Diagnostic[];
  /** Addresses of declared resources whose live state differs: the changes that `terraform plan` will show. */
  readonly differing: readonly string[];
}

/** What is exported, and what is known to be live. */
export interface ExportOptions {
  /** What is live, with what `liveQueryOf` asks for. Without it everything is to be created and nothing imported. */
  readonly live?: Live;
  /** Which addresses are exported. @default all */
  readonly chosen?: (address: string) => boolean;
}

/**
 * Maps a configuration to Terraform's resources: what is live with the id to import it by, consumers as references
 * between workspaces, what no file manages as `ignore_changes`.
 *
 * Pure: the same input gives the same resources.
 *
 * @throws {@link DiagnosticsError} where the live state shows mistakes in the files, as a plan does.
 * @example
 * ```ts
 * const { resources, differing } = terraformExport(configuration, { live });
 * console.log(resources.length, differing.length); // 3 3
 * ```
 */
export function terraformExport(configuration: Configuration, options: ExportOptions = {}): TerraformExport {
  const { desired } = configuration;
  const { live = nothingLive(configuration), chosen = () => true } = options;
  const difference = diff(configuration, live, { chosen });
  const diagnostics = [...configuration.diagnostics, ...live.diagnostics, ...difference.diagnostics];
  if (hasErrors(difference.diagnostics)) throw new DiagnosticsError(diagnostics);

  const declared = [...desired.resources.values()].filter(
    ({ address, declared }) => chosen(address) && !declared?.absent,
  );
  const { organization } = desired;
  const projectId = projectReferences(resourcesOf(declared, 'project'));
  const exported = resourceKinds.map((kind) =>
    exportKind(kind, declared, { organization, difference, live, projectId }),
  );
  return {
    organization,
    resources: exported.flatMap(({ resources }) => resources).sort(byTypeAndName),
    unsupported: [
      ...unsupportedSections(configuration, difference.changes),
      ...exported.flatMap(({ unsupported }) => unsupported),
    ],
    diagnostics,
    differing: difference.changes.filter(({ action }) => action !== 'delete').map(({ address }) => address),
  };
}

/** A project of the export by reference, any other by its id. */
function projectReferences(
  declared: readonly ProjectResource[],
): (id: string) => string | TerraformReference {
  const names = resourceNames(declared.map(({ name }) => name));
  const references = new Map(
    declared.map(({ id, name }) => {
      const address = resourceAddress({ type: 'tfe_project', name: names.get(name) ?? name });
      return [id, referTo(`${address}.id`)];
    }),
  );
  return (id) => references.get(id) ?? id;
}

function nothingLive({ desired, service }: Configuration): Live {
  return {
    state: { organization: desired.organization, resources: new Map() },
    dialect: service.dialect ?? 'iac',
    whole: true,
    scopeWhole: true,
    names: new Map(),
    projects: [],
    missing: [],
    diagnostics: [],
  };
}

function byTypeAndName(a: TerraformResource, b: TerraformResource): number {
  const order = resourceTypes.indexOf(a.type) - resourceTypes.indexOf(b.type);
  return order || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

/** What the file says beside its resources, and live resources that shall not exist: Terraform has no word for them. */
function unsupportedSections(
  { desired, prune, limits, guards }: Configuration,
  changes: readonly Change[],
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const add = (message: string, resource?: Resource) =>
    found.push({
      severity: 'warning',
      code: 'not-in-terraform',
      message,
      ...(resource && { address: resource.address }),
      ...(resource?.location && { location: resource.location }),
    });
  if (prune.workspaces !== 'keep' || prune.teamAccess) {
    add('prune is not exported: Terraform deletes only resources of its state');
  }
  if (limits.locations !== undefined) add('limits are not exported: Terraform has no limit for deletions');
  if (guards.protect.length > 0) {
    add('guards are not exported: add lifecycle.prevent_destroy to the resources that they protect');
  }
  for (const { action, address } of changes) {
    const resource = desired.resources.get(address);
    if (action !== 'delete' || resource === undefined) continue;
    const what = exportKinds[resource.kind].deletion(resource.name);
    add(`${what} is not exported: Terraform deletes only resources of its state; apply it first`, resource);
  }
  return found;
}
