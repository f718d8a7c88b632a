/*
 * A configuration as resources of Terraform's `tfe` provider, so that users can go on with Terraform, or with cdktf.
 *
 * Attune leaves omitted settings alone; the provider clears or resets many of them. So undeclared settings go to
 * `lifecycle.ignore_changes`, and what the provider cannot do as declared is not written, or with restrictions, and reported.
 *
 * The way: configuration and live state -> `diff`, as for a plan -> resources of each kind (kinds.ts), by the arguments of the rows
 * (places.ts) -> a file (terraform-document.ts), or constructs (workspace-configuration.ts).
 */
import { diff } from '../diff/diff.ts';
import { withEndedAccess } from '../hold/at-time.ts';
import { type Live, serviceSource } from '../live/read-live.ts';
import { liveOf } from '../live/snapshot.ts';
import type { Change } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, DiagnosticsError, hasErrors, warning } from '../model/diagnostic.ts';
import type { Resource } from '../model/state.ts';
import { liveQueryOf } from '../resolve/live-query-of.ts';
import { lookUpNames } from '../resolve/look-up-names.ts';
import type { QueryOptions } from '../resolve/plan-request.ts';
import type { ServiceReader } from '../service/client.ts';
import { exportResources } from './kinds.ts';
import type { TerraformExport } from './terraform-document.ts';

/** The live state, a time and a selection. */
export interface ExportOptions {
  /** The answer to the query of `liveQueryOf`. If absent, all resources are to be created and none is imported. */
  readonly live?: Live | undefined;
  /** Selects the exported addresses. @default all */
  readonly chosen?: ((address: string) => boolean) | undefined;
  /** The present time: access that has ended is not exported. @default that of the system */
  readonly now?: Date | undefined;
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
  const { desired, service } = configuration;
  const nothing = { dialect: service.dialect ?? 'iac', whole: true, scopeWhole: true };
  const { live = liveOf(desired.organization, [], nothing), chosen = () => true, now = new Date() } = options;
  const present = withEndedAccess(configuration, now.getTime());
  const { organization, resources } = present.desired;
  const difference = diff(present, live, { chosen });
  const { changes } = difference;
  const diagnostics = [...configuration.diagnostics, ...live.diagnostics, ...difference.diagnostics];
  if (hasErrors(difference.diagnostics)) throw new DiagnosticsError(diagnostics);

  const declared = [...resources.values()].filter(
    ({ address, declared }) => chosen(address) && !declared?.absent,
  );
  const exported = exportResources(declared, { organization, difference, live });
  return {
    organization,
    resources: exported.resources,
    unsupported: [
      ...unsupportedSections(present),
      ...unsupportedDeletions(present, changes),
      ...exported.unsupported,
    ],
    diagnostics,
    differing: changes.filter(({ action }) => action !== 'delete').map(({ address }) => address),
  };
}

function notExported(text: string, at?: Resource): Diagnostic {
  return warning('not-in-terraform', text, { at });
}

/** Sections of the file that have no counterpart in Terraform. */
function unsupportedSections({ settings = {} }: Configuration): Diagnostic[] {
  const names = ['prune', 'limits', 'guards', 'policies', 'exceptions', 'freeze', 'notify'];
  return names
    .filter((name) => Object.keys(settings[name] ?? {}).length > 0)
    .map((name) => notExported(`the section ${name} is not exported: Terraform has none like it`));
}

function unsupportedDeletions({ desired }: Configuration, changes: readonly Change[]): Diagnostic[] {
  return changes.flatMap(({ action, address }) => {
    const resource = desired.resources.get(address);
    if (action !== 'delete' || resource === undefined) return [];
    const until = resource.declared?.until;
    const what = until ? `the end of ${address} on ${until.written}` : `the deletion of ${address}`;
    return notExported(
      `${what} is not exported: Terraform deletes only resources of its state; apply it first`,
      resource,
    );
  });
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
  const present = withEndedAccess(declared, now.getTime());
  const configuration = await lookUpNames(present, (kind) => source.names(organization, kind), looksAt);
  return { configuration, live: await source.read(liveQueryOf(configuration, looksAt)) };
}
