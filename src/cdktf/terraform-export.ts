import type { Configuration } from '../desired/configuration.ts';
import { type Difference, diff } from '../diff/diff.ts';
import { consumerKey } from '../diff/expand-consumers.ts';
import type { Live } from '../live/read-live.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import {
  type GrantResource,
  grantAddress,
  type Resource,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { accessResource } from './access-resource.ts';
import type { ExportedWorkspace } from './exported-workspace.ts';
import { resourceTypes } from './places.ts';
import { resourceNames } from './resource-names.ts';
import { retentionResource } from './retention-resource.ts';
import { settingsResource } from './settings-resource.ts';
import { configurationShortfalls, shortfallDiagnostic } from './shortfall-diagnostic.ts';
import { shortfallsOf } from './shortfalls.ts';
import { type Reference, referTo, resourceAddress, type TerraformResource } from './terraform-resource.ts';
import { workspaceResource } from './workspace-resource.ts';

/** A configuration as Terraform's provider holds it. Plain data; the renderers make a file or constructs of it. */
export interface TerraformExport {
  readonly organization: string;
  /** By type in the order of the table of types, then by name. */
  readonly resources: readonly TerraformResource[];
  /** What is declared and not carried over, or not in the same way: a warning or a note each. */
  readonly shortfalls: readonly Diagnostic[];
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

  const isKept = ({ address, declared }: Resource) => chosen(address) && !declared?.absent;
  const declaredWorkspaces = resourcesOf(desired.resources.values(), 'workspace').filter(isKept);
  const workspaces = exportedWorkspaces(declaredWorkspaces, difference.after, live);
  const consumerId = references(workspaces);
  const shortfalls = configurationShortfalls(configuration, difference.changes);
  const resources: TerraformResource[] = [];
  for (const workspace of workspaces) {
    const own = shortfallsOf(workspace);
    shortfalls.push(...own.map((shortfall) => shortfallDiagnostic(workspace.desired, shortfall)));
    resources.push(workspaceResource(workspace, own, desired.organization));
    const settings = settingsResource(workspace, own, consumerId);
    const retention = retentionResource(workspace, desired.organization);
    for (const resource of [settings, retention]) if (resource) resources.push(resource);
  }
  const grants = resourcesOf(desired.resources.values(), 'team-access').filter(isKept);
  return {
    organization: desired.organization,
    resources: [...resources, ...exportedAccess(grants, difference, live)].sort(byTypeAndName),
    shortfalls,
    diagnostics,
    differing: difference.changes.filter(({ action }) => action !== 'delete').map(({ address }) => address),
  };
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

function exportedWorkspaces(
  declared: readonly WorkspaceResource[],
  after: readonly Resource[],
  { state }: Live,
): readonly ExportedWorkspace[] {
  const names = resourceNames(declared.map(({ name }) => name));
  const targets = new Map(resourcesOf(after, 'workspace').map((target) => [target.address, target]));
  // By id: one that is to be renamed is live under its former name.
  const liveById = new Map(
    resourcesOf(state.resources.values(), 'workspace').map((resource) => [resource.id, resource]),
  );
  return declared.map((desired) => {
    const target = targets.get(desired.address) ?? desired;
    const live = target.id === undefined ? undefined : liveById.get(target.id);
    const name = names.get(desired.name) ?? desired.name;
    const id = referTo(`${resourceAddress({ type: 'tfe_workspace', name })}.id`);
    return { desired, target, ...(live && { live }), name, id };
  });
}

/** A workspace of the export by reference, any other by its id. */
function references(workspaces: readonly ExportedWorkspace[]): (key: string) => string | Reference {
  const ids = new Map(workspaces.map(({ target, id }) => [consumerKey(target), id]));
  return (key) => ids.get(key) ?? key;
}

function exportedAccess(
  grants: readonly GrantResource[],
  { after }: Difference,
  { state }: Live,
): readonly TerraformResource[] {
  const names = resourceNames(grants.map(({ name }) => name));
  const liveGrants = new Map(
    resourcesOf(state.resources.values(), 'team-access').map((grant) => [grant.address, grant]),
  );
  const targets = new Map(resourcesOf(after, 'team-access').map((target) => [target.address, target]));
  return grants.map((declared) => {
    const desired = targets.get(declared.address) ?? declared;
    const { name, attributes } = desired;
    const live = liveGrants.get(grantAddress(attributes.project, attributes.team));
    return accessResource(desired, live, names.get(name) ?? name);
  });
}

function byTypeAndName(a: TerraformResource, b: TerraformResource): number {
  const order = resourceTypes.indexOf(a.type) - resourceTypes.indexOf(b.type);
  return order || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}
