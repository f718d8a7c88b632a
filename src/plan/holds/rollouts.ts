import { inDefaultProject } from '../../diff/settings-in-effect.ts';
import { type Change, changesOf } from '../../model/change.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type {
  CurrentRun,
  Hold,
  Rollout,
  RolloutProgress,
  UnhealthyWorkspace,
  WaveProgress,
} from '../../model/hold.ts';
import { matchesSelector } from '../../model/selector.ts';
import { findWorkspace, resourcesOf, type State, type WorkspaceResource } from '../../model/state.ts';
import { counted } from '../../model/text.ts';
import { type FoundHolds, type HoldInput, heldFields } from './hold-input.ts';

const healthyRuns: ReadonlySet<string> = new Set(['applied', 'planned_and_finished']);
/** Other runs are not finished yet. */
const failedRuns: ReadonlySet<string> = new Set([
  ...['errored', 'canceled', 'force_canceled', 'discarded', 'policy_soft_failed'],
]);

/** What waits for earlier waves. There is no state: the live values show which wave is open. */
export function rolloutHolds(
  rollouts: readonly Rollout[],
  input: HoldInput,
): FoundHolds & { readonly progress: readonly RolloutProgress[] } {
  const found = rollouts.map((rollout) => holdsOf(rollout, input));
  return {
    held: found.flatMap(({ held }) => held),
    diagnostics: found.flatMap(({ diagnostics }) => diagnostics),
    progress: found.map(({ progress }) => progress),
  };
}

function holdsOf(rollout: Rollout, input: HoldInput) {
  const { id, fields } = rollout;
  const { members, ungoverned } = membersOf(rollout, input);
  const waves: WaveProgress[] = [];
  let blocked: string | undefined;
  const reasons = new Map<string, string | undefined>();
  for (const [index, wave] of rollout.waves.entries()) {
    const inside = members.filter((member) => member.wave === index);
    const waiting = inside.flatMap(({ address, isDone }) => (isDone ? [] : [address]));
    const unhealthy = inside.flatMap((member) => member.unhealthy ?? []);
    waves.push({
      wave,
      isOpen: blocked === undefined,
      workspaces: inside.length,
      done: inside.length - waiting.length,
      waiting,
      unhealthy,
    });
    for (const { address } of inside) reasons.set(address, blocked);
    blocked ??= blockedBy(id, index, { waiting, unhealthy });
  }
  const held = input.difference.changes.flatMap((change): { change: Change; hold: Hold }[] => {
    const reason = reasons.get(change.address);
    // What is created gets the declared values at once.
    if (reason === undefined || change.action !== 'update') return [];
    const rolled = change.fields.filter(({ path }) => fields.includes(path));
    const paths = [...new Set(rolled.flatMap(({ path }) => heldFields(change, path)))];
    return paths.length === 0 ? [] : [{ change, hold: { by: 'rollout', reason, fields: paths } }];
  });
  return { held, diagnostics: problemsOf(rollout, waves, ungoverned), progress: { id, waves } };
}

/** Why the waves after this one wait; `undefined` if they do not. */
function blockedBy(
  id: string,
  index: number,
  { waiting, unhealthy }: Pick<WaveProgress, 'waiting' | 'unhealthy'>,
): string | undefined {
  const [first, ...others] = waiting;
  const more = (count: number) => (count > 0 ? ` and ${count} more` : '');
  const wave = `${id}: waits for wave ${index + 1}`;
  if (first !== undefined) return `${wave}, ${first}${more(others.length)}`;
  const [worst, ...rest] = unhealthy;
  return worst && `${wave}, ${worst.address} ${runText(worst.run)}${more(rest.length)}`;
}

function runText(run: CurrentRun | undefined): string {
  if (run === undefined) return '(its current run is unknown)';
  return `(run ${run.id} ${failedRuns.has(run.status) ? run.status : `is not finished: ${run.status}`})`;
}

interface Member {
  readonly address: string;
  /** The index of its wave. */
  readonly wave: number;
  readonly isDone: boolean;
  readonly unhealthy?: UnhealthyWorkspace;
}

/** The declared workspaces with one of the fields, by wave. */
function membersOf(
  { fields, waves, healthy }: Rollout,
  { configuration, everything, live }: HoldInput,
): { readonly members: readonly Member[]; readonly ungoverned: number } {
  const changes = new Map(
    changesOf(everything.changes, 'workspace').map((change) => [change.address, change]),
  );
  const workspaces = resourcesOf(everything.after, 'workspace').filter(({ address }) =>
    declaresOne(configuration.desired, address, fields),
  );
  const members = workspaces.flatMap((workspace): Member[] => {
    const placed = inDefaultProject(workspace, live);
    const wave = waves.findIndex((one) => one === 'rest' || matchesSelector(one, placed, live.dialect));
    const change = changes.get(workspace.address);
    const isDone =
      !change || (change.action === 'update' && !change.fields.some(({ path }) => fields.includes(path)));
    const unhealthy =
      healthy && unhealthyWorkspace(workspace, change?.live ?? findWorkspace(live.state, workspace.name));
    return wave < 0 ? [] : [{ address: workspace.address, wave, isDone, ...(unhealthy && { unhealthy }) }];
  });
  return { members, ungoverned: workspaces.length - members.length };
}

function declaresOne({ resources }: State, address: string, fields: readonly string[]): boolean {
  const { attributes } = resources.get(address) ?? {};
  return fields.some((field) => attributes?.[field] !== undefined);
}

function unhealthyWorkspace(
  { address }: WorkspaceResource,
  live: WorkspaceResource | undefined,
): UnhealthyWorkspace | undefined {
  const run = live?.currentRun;
  // A workspace that does not exist yet waits for its creation.
  if (live === undefined || run === null) return undefined;
  if (run === undefined) return { address };
  return healthyRuns.has(run.status) ? undefined : { address, run };
}

function problemsOf(
  { id, location, fields }: Rollout,
  waves: readonly WaveProgress[],
  ungoverned: number,
): Diagnostic[] {
  const empty = waves.flatMap(({ wave, workspaces }, index) =>
    wave === 'rest' || workspaces > 0 ? [] : [index + 1],
  );
  return [
    ...empty.map(
      (wave): Diagnostic => ({
        severity: 'warning',
        code: 'empty-wave',
        message: `wave ${wave} of the rollout ${id} selects no workspace that declares ${fields.join(' or ')}`,
        hint: 'correct its selector, or remove the wave',
        location,
      }),
    ),
    ...(ungoverned > 0
      ? [
          {
            severity: 'warning',
            code: 'outside-waves',
            message: `${counted(ungoverned, 'workspace')} with ${fields.join(' or ')} ${ungoverned === 1 ? 'is' : 'are'} in no wave of the rollout ${id}: the rollout does not hold ${ungoverned === 1 ? 'it' : 'them'} back`,
            hint: 'add the wave rest',
            location,
          } as const,
        ]
      : []),
  ];
}
