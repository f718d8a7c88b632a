import { selectorText } from '../desired/guards.ts';
import type { Hold, RolloutProgress, UnhealthyWorkspace, WaveProgress } from '../model/hold.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { nameOfAddress } from '../model/state.ts';
import { groupBy } from '../model/value.ts';
import { type ChangeView, changeViews, type PathOf } from './change-view.ts';
import { escapeControls } from './escape-controls.ts';
import type { ReportKind } from './report.ts';

/** What waits, and how far rollouts are. */
export interface HeldView {
  /** With the time that decides, and the next date at which something changes. */
  readonly heading: string;
  /** Changes that wait for the same reason. */
  readonly groups: readonly { readonly reason: string; readonly changes: readonly ChangeView[] }[];
  readonly rollouts: readonly { readonly id: string; readonly waves: readonly WaveView[] }[];
  /** Sentences about the time of the plan, and about freeze windows that do not apply. */
  readonly notes: readonly string[];
}

/** How far a wave is, and the runs that keep the next ones closed. */
export interface WaveView {
  readonly text: string;
  readonly runs: readonly {
    readonly text: string;
    /** The page of the run; in the `terraform` dialect only. */
    readonly url?: string;
  }[];
}

export function waveLine({ text, runs }: WaveView): string {
  return [text, ...runs.map((run) => (run.url === undefined ? run.text : `${run.text} ${run.url}`))].join(
    ', ',
  );
}

/** `undefined` if nothing waits and no time is shown. */
export function heldView(kind: ReportKind, plan: Plan, path: PathOf): HeldView | undefined {
  const parts = plan.changes.flatMap((change) =>
    [...groupBy(change.held ?? [], reasonText)].map(([reason, holds]) => ({
      reason,
      part: heldPart(change, holds),
    })),
  );
  const notes = notesOf(plan);
  const { rollouts = [], at } = plan;
  if (parts.length + notes.length + rollouts.length === 0) return undefined;
  const groups = [...groupBy(parts, ({ reason }) => reason)].map(([reason, same]) => {
    const changes = same.map(({ part }) => part);
    return {
      reason: escapeControls(reason),
      changes: changeViews(kind, { ...plan, changes }, {}, path),
    };
  });
  const dates = plan.changes.flatMap(({ held = [] }) => held.flatMap(({ until }) => until ?? [])).sort();
  return {
    heading: [
      'Held',
      ...(at === undefined || parts.length === 0 ? [] : [` at ${at}`]),
      ...(dates[0] === undefined ? [] : [`, next date ${dates[0]}`]),
    ].join(''),
    groups,
    rollouts: rollouts.map(({ id, waves }) => ({ id: escapeControls(id), waves: waveViews(waves, plan) })),
    notes,
  };
}

function heldPart({ held: _held, ...change }: PlannedChange, holds: readonly Hold[]): PlannedChange {
  const shown = change.fields.filter(({ path }) =>
    holds.some(({ fields }) => fields === undefined || fields.includes(path)),
  );
  return { ...change, fields: shown, calls: [] };
}

function reasonText({ by, reason, until }: Hold): string {
  return `${by}${until === undefined ? '' : ` until ${until}`}: ${reason}`;
}

function notesOf({ at, hypothetical, freezeOverridden }: Plan): string[] {
  return [
    ...(hypothetical ? [`This plan shows ${at}, and cannot be applied.`] : []),
    ...(freezeOverridden === undefined
      ? []
      : [`Freeze windows are overridden: ${escapeControls(freezeOverridden)}`]),
  ];
}

function waveViews(waves: RolloutProgress['waves'], plan: Plan): WaveView[] {
  return waves.map((wave, index) => {
    const state = stateText(wave);
    const figures = `${wave.done} of ${wave.workspaces} done${state === '' ? '' : `, ${state}`}`;
    return {
      text: escapeControls(`wave ${index + 1}  ${waveName(wave)}  ${figures}`),
      runs: wave.unhealthy.map((one) => {
        const url = runPage(one, plan);
        return { text: escapeControls(runText(one)), ...(url !== undefined && { url }) };
      }),
    };
  });
}

/** The page of a run on HCP Terraform and Terraform Enterprise. */
function runPage(
  { address: resource, run }: UnhealthyWorkspace,
  { address, organization, dialect }: Plan,
): string | undefined {
  if (run === undefined || dialect !== 'terraform' || !URL.canParse(address)) return undefined;
  const path = ['app', organization, 'workspaces', nameOfAddress(resource), 'runs', run.id]
    .map(encodeURIComponent)
    .join('/');
  return new URL(`/${path}`, address).href;
}

function waveName({ wave }: WaveProgress): string {
  return wave === 'rest' ? wave : selectorText(wave);
}

function stateText({ isOpen, waiting, unhealthy }: WaveProgress): string {
  if (!isOpen) return 'not open';
  if (waiting.length > 0) return `${waiting.length} waiting`;
  return unhealthy.length > 0 ? `${unhealthy.length} unhealthy` : '';
}

function runText({ address, run }: UnhealthyWorkspace): string {
  return `${address}: ${run === undefined ? 'unknown run' : `${run.id} ${run.status}`}`;
}
