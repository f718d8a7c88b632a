import { diff } from '../diff/diff.ts';
import { endingGrants, withEndedAccess } from '../hold/at-time.ts';
import { serviceSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Change } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, hasErrors, warning } from '../model/diagnostic.ts';
import { noHoldRules } from '../model/hold.ts';
import { type ProjectResource, type Resource, resourceKinds, resourcesOf } from '../model/state.ts';
import { liveQueryOf } from '../resolve/live-query-of.ts';
import { lookUpNames } from '../resolve/look-up-names.ts';
import type { QueryOptions } from '../resolve/plan-request.ts';
import type { ServiceReader } from '../service/client.ts';
import { exportKind, exportKinds } from './kinds.ts';
import { resourceTypes } from './places.ts';
import {
  referTo,
  resourceAddress,
  resourceNames,
  type TerraformReference,
  type TerraformResource,
} from './terraform-resource.ts';

/** A configuration as resources of Terraform's provider: plain data, from which a file or constructs are made. */
export interface TerraformExport {
  readonly organization: string;
  /** Sorted by type, in the order of {@link resourceTypes}, then by name. */
  readonly resources: readonly TerraformResource[];
  /** Declared settings that are not exported, or exported with restrictions: one warning or note each. */
  readonly unsupported: readonly Diagnostic[];
  /** The warnings and notes of a plan of the same configuration. */
  readonly diagnostics: readonly Diagnostic[];
  /** Addresses of declared resources whose live state differs: the changes that `terraform plan` will show. */
  readonly differing: readonly string[];
}

/** The live state, a time and a selection. */
export interface ExportOptions {
  /** The answer to the query of `liveQueryOf`. If absent, all resources are to be created and none is imported. */
  readonly live?: Live;
  /** Selects the exported addresses. @default all */
  readonly chosen?: (address: string) => boolean;
  /** The present time: access that has ended is not exported. @default that of the system */
  readonly now?: Date;
}

/**
 * Maps a configuration to Terraform's resources: live resources with their import id, consumers as references between
 * workspaces, unmanaged settings as `ignore_changes`.
 *
 * Pure: the same input gives the same resources at the same time.
 *
 * @throws {@link DiagnosticsError} if the comparison with the live state has errors, as for a plan.
 * @example
 * ```ts
 * const { resources, differing } = terraformExport(configuration, { live });
 * console.log(resources.length, differing.length); // 3 3
 * ```
 */
export function terraformExport(configuration: Configuration, options: ExportOptions = {}): TerraformExport {
  const { live = nothingLive(configuration), chosen = () => true, now = new Date() } = options;
  const present = withEndedAccess(configuration, now.getTime());
  const { desired } = present;
  const difference = diff(present, live, { chosen });
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
      ...unsupportedSections(present, { changes: difference.changes, chosen }),
      ...exported.flatMap(({ unsupported }) => unsupported),
    ],
    diagnostics,
    differing: difference.changes.filter(({ action }) => action !== 'delete').map(({ address }) => address),
  };
}

/** Refers to a project of the export by reference, to any other by its id. */
function projectReferences(
  declared: readonly ProjectResource[],
): (id: string) => string | TerraformReference {
  const names = resourceNames(declared.map(({ name }) => name));
  const references = new Map(
    declared.map(({ id, name }) => {
      const address = resourceAddress({ type: 'tfe_project', name: names(name) });
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

/** Sections of the file, and declarations that delete, which have no counterpart in Terraform. */
function unsupportedSections(
  configuration: Configuration,
  { changes, chosen }: { readonly changes: readonly Change[]; readonly chosen: (address: string) => boolean },
): Diagnostic[] {
  const { desired, prune, limits, guards, policies = [], notify = [], holds = noHoldRules } = configuration;
  const found: Diagnostic[] = [];
  const add = (message: string, resource?: Resource) =>
    found.push(warning('not-in-terraform', message, { at: resource }));
  if (prune.workspaces !== 'keep' || prune.teamAccess) {
    add('prune is not exported: Terraform deletes only resources of its state');
  }
  if (limits.locations !== undefined) add('limits are not exported: Terraform has no limit for deletions');
  if (guards.protect.length > 0) {
    add('guards are not exported: add lifecycle.prevent_destroy to the resources that they protect');
  }
  if (guards.keepAdmin !== undefined || guards.keepSelf !== undefined) {
    add('guards of access are not exported: Terraform revokes the access of any team');
  }
  if (policies.length > 0) add('policies are not exported: Terraform does not check them');
  if (holds.exceptions.length > 0) {
    add('exceptions are not exported: Terraform also makes the changes that they hold');
  }
  if (holds.freeze.length > 0) add('freeze is not exported: Terraform also makes changes in its windows');
  if (notify.length > 0) add('notify is not exported: Terraform sends no such messages');
  const deleted = new Set(changes.flatMap(({ action, address }) => (action === 'delete' ? address : [])));
  for (const address of deleted) {
    const resource = desired.resources.get(address);
    if (resource === undefined) continue;
    const { name, declared } = resource;
    const what = declared?.until
      ? `the end of ${name} on ${declared.until.written}`
      : exportKinds[resource.kind].deletion(name);
    add(`${what} is not exported: Terraform deletes only resources of its state; apply it first`, resource);
  }
  for (const grant of endingGrants(configuration)) {
    const { address, name, declared } = grant;
    if (declared?.absent && chosen(address) && !deleted.has(address))
      add(`${name} is not exported: it ended on ${declared.until?.written}`, grant);
  }
  return found;
}

/** A configuration with resolved names, and the live state of its resources. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  readonly live: Live;
}

/**
 * Reads from the service only what an export needs: the ids of names, and the live state of the declared resources.
 *
 * @throws {@link DiagnosticsError} if a name is unknown or ambiguous.
 * @throws {@link ServiceError} or {@link NetworkError} if a read fails.
 * @example
 * ```ts
 * new WorkspaceConfiguration(stack, 'workspaces', await readConfiguration(declared, client));
 * ```
 */
export async function readConfiguration(
  declared: Configuration,
  reader: ServiceReader,
  options: Pick<QueryOptions, 'chosen'> & Pick<ExportOptions, 'now'> = {},
): Promise<ReadConfiguration> {
  const { now = new Date(), ...selection } = options;
  const source = serviceSource(reader);
  // The export contains declared resources only.
  const looksAt = { ...selection, looksAtUndeclared: false, looksAtAccessOf: () => false };
  const { organization } = declared.desired;
  const configuration = await lookUpNames(
    withEndedAccess(declared, now.getTime()),
    (kind) => source.names(organization, kind),
    looksAt,
  );
  return { configuration, live: await source.read(liveQueryOf(configuration, looksAt)) };
}
