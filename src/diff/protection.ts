import { deletionSource } from '../model/change.ts';
import type { Configuration, Protection } from '../model/configuration.ts';
import { type Diagnostic, problem, type Severity, showPlace } from '../model/diagnostic.ts';
import { guardSelects } from '../model/selector.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { quote } from '../model/text.ts';
import { type Comparison, located } from './comparison.ts';
import type { Deletion, Matching, PlannedMatch } from './match-workspaces.ts';
import { matchedStates, type ProjectsOfPlan } from './matched-states.ts';

/** The entry of `guards.protect` that matches one of the states of a workspace. */
export function protectionOf(
  { guards }: Pick<Configuration, 'guards'>,
  states: readonly WorkspaceResource[],
): Protection | undefined {
  return guards.protect.find(({ selector }) => states.some((workspace) => guardSelects(selector, workspace)));
}

/**
 * Reports deletes and renames of workspaces that `guards.protect` matches, by their live values or by the planned ones, each also
 * with the key/value tags that it inherits before or after.
 * A declaration is not required: a workspace remains protected when its block is removed.
 */
export function checkProtection(
  comparison: Comparison,
  kept: readonly PlannedMatch[],
  deleted: Matching['deleted'],
  projects: ProjectsOfPlan,
): Diagnostic[] {
  const { refusal, rootOf } = comparison;
  const protects = (address: string, states: readonly WorkspaceResource[]) =>
    protectionOf(rootOf(address), matchedStates(states, projects));
  const deletions = [...deleted.values()].flatMap((deletion): Diagnostic[] => {
    const protection = protects(deletion.live.address, [deletion.live]);
    return protection ? [protectedDeletion(deletion, protection, refusal)] : [];
  });
  const renames = kept.flatMap(({ desired, live, target }): Diagnostic[] => {
    if (live === undefined || live.name === desired.name) return [];
    const protection = protects(desired.address, [live, target]);
    return protection ? [protectedRename(desired, live, protection, refusal)] : [];
  });
  return [...deletions, ...renames];
}

function protectedDeletion(
  { live: { address }, desired }: Deletion,
  protection: Protection,
  severity: Severity,
): Diagnostic {
  const { written, location: guard } = protection;
  const source = deletionSource(desired !== undefined, desired?.location);
  const hints = {
    tombstone: `remove \`state: absent\`, or remove ${written} from guards.protect`,
    prune: `declare the workspace again, or remove ${written} from guards.protect`,
    undo: `leave it out with --only, or remove ${written} from guards.protect`,
  };
  return problem(
    'protected',
    `${address} cannot be deleted: guards.protect has ${guardText(protection, desired)}`,
    { severity, at: { address, location: desired?.location ?? guard }, hint: hints[source] },
  );
}

/** The entry, with its location unless the diagnostic has that location. */
function guardText({ written, location }: Protection, desired: WorkspaceResource | undefined): string {
  return desired?.location ? `${written} (${showPlace(location)})` : written;
}

function protectedRename(
  desired: WorkspaceResource,
  live: WorkspaceResource,
  protection: Protection,
  severity: Severity,
): Diagnostic {
  const { written, location: guard } = protection;
  return problem(
    'protected',
    `workspace ${quote(live.name)} cannot be renamed to ${quote(desired.name)}: guards.protect has ${guardText(protection, desired)}`,
    {
      severity,
      at: { location: guard, ...located(desired, 'renamed-from') },
      hint: desired.location
        ? `remove renamed-from, or remove ${written} from guards.protect`
        : `leave it out with --only, or remove ${written} from guards.protect`,
    },
  );
}
