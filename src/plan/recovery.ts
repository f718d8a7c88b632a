import type { LiveSource } from '../live/live-source.ts';
import { keepsDeleted } from '../live/recoverable-items.ts';
import type { Plan } from '../model/plan.ts';

/**
 * The plan with whether each delete can be undone with all that the service stores. Only a plan with a delete reads the
 * organization for that, and only where the service can have recoverable items.
 */
export async function withRecovery(plan: Plan, { access }: Pick<LiveSource, 'access'>): Promise<Plan> {
  const { organization, dialect, changes } = plan;
  const isDelete = ({ action, kind }: (typeof changes)[number]) =>
    action === 'delete' && kind !== 'team-access';
  if (dialect !== 'terraform' || access === undefined || !changes.some(isDelete)) return plan;
  const keeps = await keepsDeleted(access, organization);
  if (keeps === undefined) return plan;
  return {
    ...plan,
    changes: changes.map((change) => {
      if (!isDelete(change)) return change;
      return { ...change, recovery: keeps && change.kind === 'workspace' ? 'recoverable' : 'final' };
    }),
  };
}
