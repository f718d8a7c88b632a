import { holdOf } from '../hold/keep-live.ts';
import { destroyDuration, destroyTime } from '../model/attributes.ts';
import { changesOf } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, problem } from '../model/diagnostic.ts';
import { type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { isSameOrganization } from '../service/address.ts';

/**
 * A workspace gets its own destroy schedule before that of its project changes. It is an error to change that of the project
 * if another root file holds the workspace: it would inherit the new schedule. Of one root file, the project is held, too.
 */
export function refuseHeldSchedules<
  Planned extends { readonly configuration: Configuration; readonly plan: Plan },
>(planned: readonly Planned[]): readonly Planned[] {
  const held = planned.map(({ plan }) => heldSchedules(plan));
  return planned.map((one) => {
    const { plan } = one;
    const others = planned.flatMap((other, index) =>
      other !== one && isSameOrganization(other.configuration, one.configuration) ? (held[index] ?? []) : [],
    );
    const refused = changesOf(sentChanges(plan.changes), 'project').flatMap((change): Diagnostic[] => {
      const workspace = others.find(({ project }) => project === change.id)?.address;
      if (workspace === undefined || !change.fields.some(({ path }) => path === destroyDuration)) return [];
      return [
        problem(
          'held-elsewhere',
          `${change.address} changes ${destroyDuration}, and ${workspace} would inherit it: another root file holds its own destroy schedule`,
          {
            at: change,
            hint: `keep the former ${destroyDuration} of ${change.address} until ${workspace} is not held`,
          },
        ),
      ];
    });
    return refused.length > 0
      ? { ...one, plan: { ...plan, diagnostics: [...plan.diagnostics, ...refused] } }
      : one;
  });
}

/** The workspaces whose own destroy schedule is planned and held, with the ids of their projects. */
function heldSchedules(plan: Plan) {
  return changesOf(plan.changes, 'workspace')
    .filter(
      ({ action, fields, held = [] }) =>
        action === 'update' &&
        fields.some(({ path, after }) => schedule.has(path) && after) &&
        holdOf(held, schedule) !== undefined,
    )
    .map((change) => ({ address: change.address, project: projectAfter(plan, change) }));
}

const schedule: ReadonlySet<string> = new Set([destroyDuration, destroyTime]);

/** The id of the project of a workspace after the plan. */
export function projectAfter({ overview }: Plan, { name }: Pick<PlannedChange, 'name'>): string | undefined {
  const project = overview.workspaces.find((workspace) => workspace.name === name)?.project ?? undefined;
  return project === undefined ? undefined : (overview.ids?.projects[project] ?? project);
}
