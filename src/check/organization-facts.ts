import { keepsDeleted, seesAllTeams } from '../live/access-facts.ts';
import type { LiveSource } from '../live/read-live.ts';
import { changesOf } from '../model/change.ts';
import { rootsOf } from '../model/configuration.ts';
import { type Diagnostic, note, type SourceLocation, warning } from '../model/diagnostic.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import type { Check, Pass } from './check.ts';

export const organizationFacts: readonly Check[] = [
  { codes: ['hidden-teams'], find: checkPruning },
  { codes: ['assessments-enforced'], find: checkAssessments },
];

async function checkPruning(pass: Pass): Promise<readonly Diagnostic[]> {
  const { configuration, live } = pass;
  const isPruned = rootsOf(configuration).some(({ prune }) => prune.teamAccess);
  if (!isPruned || live.projects.length === 0 || live.dialect !== 'terraform') return [];
  return warnOfHiddenTeams('prune.team-access does not remove their access', pass);
}

async function checkAssessments({ configuration, difference, source }: Pass): Promise<readonly Diagnostic[]> {
  const path = 'assessments-enabled';
  const [first, ...others] = difference.changes.filter(({ fields }) =>
    fields.some((field) => field.path === path && field.after === false),
  );
  if (first === undefined) return [];
  const { organization } = configuration.desired;
  const facts = await source.access?.organization(organization);
  if (facts?.document?.attributes['assessments-enforced'] !== true) return [];
  const { address } = first;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  const location = configuration.layered.get(address)?.fields.get(path)?.location ?? first.location;
  return [
    note(
      'assessments-enforced',
      `${address}${more}: ${path}: false has no effect, because organization ${organization} enforces assessments in all workspaces`,
      { at: { address, location } },
    ),
  ];
}

export async function warnOfHiddenTeams(
  effect: string,
  { configuration, source }: Pick<Pass, 'configuration' | 'source'>,
  location?: SourceLocation,
): Promise<readonly Diagnostic[]> {
  const { organization } = configuration.desired;
  if ((await seesAllTeams(organization, source.access)) !== false) return [];
  return [
    warning('hidden-teams', `this token may not see secret teams of ${organization}: ${effect}`, {
      at: location,
      hint: 'use a token of the owners, or of a team that has access to secret teams',
    }),
  ];
}

/**
 * The plan with whether each delete can be undone with all that the service stores. Only a plan with a delete reads the
 * organization for that, and only where the service can have recoverable items.
 */
export async function withRecovery(plan: Plan, { access }: Pick<LiveSource, 'access'>): Promise<Plan> {
  const { organization, dialect, changes } = plan;
  const isDeletion = ({ action, kind }: PlannedChange) => action === 'delete' && kind !== 'team-access';
  if (dialect !== 'terraform' || access === undefined || !changes.some(isDeletion)) return plan;
  const keeps = await keepsDeleted(access, organization);
  if (keeps === undefined) return plan;
  // A workspace is recovered only into its own project.
  const projects = new Set<unknown>(
    changesOf(changes, 'project').flatMap(({ action, id }) => (action === 'delete' ? (id ?? []) : [])),
  );
  return {
    ...plan,
    changes: changes.map((change) => {
      const isFinal = !keeps || change.kind === 'project' || projects.has(change.facts?.project);
      return isDeletion(change) ? { ...change, recovery: isFinal ? 'final' : 'recoverable' } : change;
    }),
  };
}
