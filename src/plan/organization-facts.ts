import type { Configuration } from '../desired/configuration.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Change } from '../model/change.ts';
import type { Diagnostic, SourceLocation } from '../model/diagnostic.ts';
import { isRecord } from '../model/value.ts';

interface FactsInput {
  readonly configuration: Configuration;
  readonly source: Pick<LiveSource, 'access'>;
}

/**
 * A note on assessments that a plan switches off and that the organization runs nevertheless. The organization is read
 * only for such a plan.
 */
export async function checkAssessments(
  changes: readonly Change[],
  { configuration, source }: FactsInput,
): Promise<readonly Diagnostic[]> {
  const path = 'assessments-enabled';
  const off = changes.filter(({ fields }) =>
    fields.some((field) => field.path === path && field.after === false),
  );
  const [first, ...others] = off;
  if (first === undefined) return [];
  const { organization } = configuration.desired;
  const facts = await source.access?.organization(organization);
  if (facts?.document?.attributes['assessments-enforced'] !== true) return [];
  const { address } = first;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  const location = configuration.layered.get(address)?.fields.get(path)?.location ?? first.location;
  return [
    {
      severity: 'note',
      code: 'assessments-enforced',
      message: `${address}${more}: ${path}: false has no effect, because organization ${organization} enforces assessments in all workspaces`,
      address,
      ...(location && { location }),
    },
  ];
}

/**
 * A warning if this token may not see secret teams, whose access is missing in the lists of grants. Nothing if the service
 * does not show it.
 *
 * @param effect what follows for the setting, such as `guards.keep-admin does not count their access`
 */
export async function warnOfHiddenTeams(
  effect: string,
  { configuration, source }: FactsInput,
  location?: SourceLocation,
): Promise<readonly Diagnostic[]> {
  const { organization } = configuration.desired;
  if ((await seesAllTeams(organization, source)) !== false) return [];
  return [
    {
      severity: 'warning',
      code: 'hidden-teams',
      message: `this token may not see secret teams of ${organization}: ${effect}`,
      ...(location && { location }),
      hint: 'use a token of the owners, or of a team that has access to secret teams',
    },
  ];
}

/** Owners see all teams, and so do the members of a team with access to secret teams. */
async function seesAllTeams(
  organization: string,
  { access }: Pick<LiveSource, 'access'>,
): Promise<boolean | undefined> {
  const permissions = (await access?.organization(organization))?.document?.attributes.permissions;
  // Only owners may delete an organization.
  const isOwner = isRecord(permissions) ? permissions['can-destroy'] : undefined;
  if (access === undefined || typeof isOwner !== 'boolean') return undefined;
  if (isOwner) return true;
  const caller = await access.caller();
  if (caller?.kind === 'organizations') return true;
  const teams = await access.teams(organization);
  if (caller?.kind === undefined || teams === undefined) return undefined;
  const { kind, id } = caller;
  return teams.some(
    (team) => team.seesSecretTeams && (kind === 'teams' ? team.id === id : team.members?.includes(id)),
  );
}
