import { causeWords, type Hold, holdSources } from '../model/hold.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { groupBy } from '../model/value.ts';
import { changeViews } from './change-view.ts';
import type { PathOf } from './diagnostic-view.ts';
import { escapeTexts } from './escape-controls.ts';
import { type ChangeOptions, changeItem, type Item, mostNamed, textItem } from './items.ts';
import type { ReportKind } from './report.ts';
import { figure, firstOf, lineWith, placeText } from './words.ts';

interface HeldOptions extends ChangeOptions {
  readonly path: PathOf;
}

/** What waits, an item for each reason. */
export function heldItems(kind: ReportKind, plan: Plan, options: HeldOptions): readonly Item[] {
  const parts = plan.changes.flatMap((change) =>
    [...groupBy(change.held ?? [], reasonText)].map(([reason, holds]) => ({
      reason,
      part: heldPart(change, holds),
    })),
  );
  const { full = false, hint = '', path } = options;
  return [...groupBy(parts, ({ reason }) => reason)].map(([reason, same]) => {
    const held = changeViews(kind, { ...plan, changes: same.map(({ part }) => part) }, {}, path);
    const { shown, rest } = firstOf(held, full ? held.length : mostNamed);
    const lines = shown.flatMap((change) => {
      const { sign, head, detail, place, rest: below } = changeItem(change, kind, options);
      const line = lineWith(head, [detail, place && placeText(place)]);
      return [`${sign} ${line}`, ...below.map((text) => `    ${text}`)];
    });
    const more = rest.length > 0 ? [`and ${figure(rest.length)} more${hint}`] : [];
    return { ...textItem('held', reason, [...lines, ...more]), count: held.length, held };
  });
}

/** With the time that decides, and the next date at which something changes. */
export function heldTitle({ changes, at }: Plan): string {
  const holds = changes.flatMap(({ held = [] }) => held);
  const causes = holdSources
    .filter((source) => holds.some(({ by }) => by === source))
    .map((source) => `${causeWords[source]}s`);
  const [next] = holds.map(({ until }) => until).sort();
  return [
    causes.length === 0 ? 'Held' : `Held by ${causes.join(' and ')}`,
    ...(at === undefined || holds.length === 0 ? [] : [` at ${at}`]),
    ...(next === undefined ? [] : [`, next date ${next}`]),
  ].join('');
}

/** Sentences about the time of the plan, and about freeze windows that do not apply. */
export function timeNotes({ at, hypothetical, freezeOverridden }: Plan): readonly string[] {
  return escapeTexts([
    ...(hypothetical ? [`This plan shows ${at}, and cannot be applied.`] : []),
    ...(freezeOverridden === undefined ? [] : [`Freeze windows are overridden: ${freezeOverridden}`]),
  ]);
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
