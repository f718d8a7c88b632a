import { causeWords, type Hold, holdSources } from '../model/hold.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { groupBy } from '../model/value.ts';
import { type ChangeView, changeViews } from './change-view.ts';
import type { PathOf } from './diagnostic-view.ts';
import { escapeControls } from './escape-controls.ts';
import type { ReportKind } from './report.ts';

/** What waits. */
export interface HeldView {
  /** With the time that decides, and the next date at which something changes. */
  readonly heading: string;
  /** Changes that wait for the same reason. */
  readonly groups: readonly { readonly reason: string; readonly changes: readonly ChangeView[] }[];
  /** Sentences about the time of the plan, and about freeze windows that do not apply. */
  readonly notes: readonly string[];
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
  const { at } = plan;
  if (parts.length + notes.length === 0) return undefined;
  const groups = [...groupBy(parts, ({ reason }) => reason)].map(([reason, same]) => {
    const changes = same.map(({ part }) => part);
    return {
      reason: escapeControls(reason),
      changes: changeViews(kind, { ...plan, changes }, {}, path),
    };
  });
  const causes = holdSources
    .filter((source) => plan.changes.some(({ held = [] }) => held.some(({ by }) => by === source)))
    .map((source) => `${causeWords[source]}s`);
  const dates = plan.changes.flatMap(({ held = [] }) => held.map(({ until }) => until)).sort();
  return {
    heading: [
      causes.length === 0 ? 'Held' : `Held by ${causes.join(' and ')}`,
      ...(at === undefined || parts.length === 0 ? [] : [` at ${at}`]),
      ...(dates[0] === undefined ? [] : [`, next date ${dates[0]}`]),
    ].join(''),
    groups,
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
  return `${causeWords[by]} until ${until}: ${reason}`;
}

function notesOf({ at, hypothetical, freezeOverridden }: Plan): string[] {
  return [
    ...(hypothetical ? [`This plan shows ${at}, and cannot be applied.`] : []),
    ...(freezeOverridden === undefined
      ? []
      : [`Freeze windows are overridden: ${escapeControls(freezeOverridden)}`]),
  ];
}
