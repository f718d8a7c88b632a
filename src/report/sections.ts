import type { Ending } from '../model/apply-result.ts';
import { type Action, actions } from '../model/change.ts';
import type { Severity } from '../model/diagnostic.ts';
import { groupBy } from '../model/value.ts';
import { groupChanges, isGroup, partsOf, partTitles } from './change-lists.ts';
import type { ChangeView } from './change-view.ts';
import type { EntryView, PlanView } from './entry-view.ts';
import {
  type ChangeOptions,
  changeItem,
  diagnosticItem,
  droppedItem,
  effectItems,
  failureItems,
  groupItem,
  heldItems,
  type Item,
  riskItem,
  type SectionOptions,
  undeclaredItem,
} from './items.ts';
import type { ReportKind } from './report.ts';
import { type RiskGroupView, resourcesText, riskOrder } from './risk-view.ts';

/*
 * A report is a list of sections with items. Text, Markdown, the lists of the HTML page, annotations of GitHub, SARIF,
 * JUnit and messages render this list; what else a format has, such as filters or a summary, it adds itself.
 */

/** What the items of a section are. The changes of a `part` have the heading of their cause. */
export type SectionName =
  | 'attention'
  | 'diagnostics'
  | 'changes'
  | 'part'
  | 'dropped'
  | 'undeclared'
  | 'held'
  | 'effects';

export interface Section {
  readonly name: SectionName;
  readonly title: string;
  /** The position of its root file in the report; absent for what needs attention in all of several. */
  readonly root?: number | undefined;
  /** `high` is shown at once and omitted last, `low` is omitted first. */
  readonly level: 'high' | 'medium' | 'low';
  readonly items: readonly Item[];
  /** Sentences below the items. */
  readonly notes: readonly string[];
}

type Draft = Pick<Section, 'name' | 'title' | 'items'> & Partial<Section>;

/** All sections: what needs attention in all of several root files, then those of each. */
export function sectionsOf(entries: readonly EntryView[], options: SectionOptions): readonly Section[] {
  const attention: Draft = {
    name: 'attention',
    title: 'Needs attention',
    items: attentionItems(entries),
    level: 'high',
  };
  const isJoint = entries.length > 1;
  const ofEach = entries.flatMap((entry, root) =>
    entryDrafts(entry, isJoint ? [] : [attention], options).map((draft) => ({ root, ...draft })),
  );
  return [...(isJoint ? [attention] : []), ...ofEach]
    .map((draft): Section => ({ level: 'low', notes: [], ...draft }))
    .filter(({ items, notes }) => items.length + notes.length > 0);
}

function entryDrafts(entry: EntryView, attention: readonly Draft[], options: SectionOptions): Draft[] {
  const { kind, diagnostics, plan } = entry;
  const found = (...levels: readonly Severity[]) =>
    diagnostics.filter(({ severity }) => levels.includes(severity)).map(diagnosticItem);
  const risks = risksByAddress(plan?.risks ?? []);
  const { failed, made } = changeDrafts(entry, { ...options, risks });
  // Of what was applied, failures come first.
  const [first, second] = kind === 'apply' ? [failed, attention] : [attention, failed];
  return [
    { name: 'diagnostics', title: 'Errors', items: found('error'), level: 'high' },
    ...first,
    ...second,
    ...made,
    ...(plan ? planDrafts(kind, plan, { ...options, risks }) : []),
    { name: 'diagnostics', title: 'Warnings and notes', items: found('warning', 'note'), level: 'medium' },
  ];
}

function planDrafts(kind: ReportKind, plan: PlanView, options: ChangeOptions): Draft[] {
  const { noLongerDeclared = [], held, undeclaredHint: hint } = plan;
  // An apply does not read the scope again, so its result does not list what is undeclared.
  const undeclared = plan.applied ? [] : plan.undeclared;
  return [
    {
      name: 'dropped',
      title: partTitles.dropped,
      items: noLongerDeclared.map(droppedItem),
      notes:
        noLongerDeclared.length > 0 ? ['The base declares them. They stay on the service as they are.'] : [],
    },
    {
      name: 'undeclared',
      title: 'Undeclared (Attune does not change them)',
      items: undeclared.map((one) => undeclaredItem(one, kind, options.risks.get(one.address))),
      notes: hint === undefined || undeclared.length === 0 ? [] : [`Hint: ${hint}`],
    },
    {
      name: 'held',
      title: held?.heading ?? '',
      items: heldItems(plan, kind, options),
      level: 'medium',
      notes: held?.notes ?? [],
    },
    { name: 'effects', title: effectTitles[kind], items: effectItems(plan, options), level: 'high' },
  ];
}

const planned = { create: 'To create', update: 'To update', delete: 'To delete' };
const changeTitles: Readonly<Record<ReportKind, Readonly<Record<Action, string>>>> = {
  validate: planned,
  export: planned,
  plan: planned,
  drift: { create: 'Missing', update: 'Changed', delete: 'Extra' },
  apply: { create: 'Created', update: 'Updated', delete: 'Deleted' },
};
const effectTitles: Readonly<Record<ReportKind, string>> = {
  validate: 'Effects',
  export: 'Effects',
  plan: 'Effects',
  drift: 'Effects if the configuration is applied',
  apply: 'Effects, as planned',
};

/** By outcome once apply has begun, then by cause with a base, else by action. */
function changeDrafts({ kind, plan }: EntryView, options: ChangeOptions) {
  const { changes = [], noLongerDeclared } = plan ?? {};
  const itemsOf = (some: readonly ChangeView[]) => changeItems(kind, some, options);
  const endedAs = (...outcomes: readonly Ending[]) =>
    itemsOf(changes.filter(({ outcome }) => outcome !== undefined && outcomes.includes(outcome)));
  const done = changes.filter(({ outcome }) => outcome === undefined || outcome === 'done');
  const failed: Draft[] = [
    { name: 'changes', title: 'Failed', items: endedAs('failed', 'unknown'), level: 'high' },
    { name: 'changes', title: 'Done in part', items: endedAs('partial'), level: 'high' },
    { name: 'changes', title: 'Skipped', items: endedAs('skipped', 'held'), level: 'medium' },
  ];
  if (noLongerDeclared !== undefined && changes.length > 0 && !options.byAction) {
    const { caused, drifted } = partsOf(done);
    const made: Draft[] = [
      { name: 'part', title: partTitles.change, items: partItems(itemsOf(caused)), level: 'high' },
      { name: 'part', title: partTitles.drift, items: itemsOf(drifted) },
    ];
    return { failed, made };
  }
  const made = actions.map((action): Draft => {
    const items = itemsOf(done.filter((change) => change.action === action));
    const level = action === 'delete' ? 'high' : 'low';
    return { name: 'changes', title: changeTitles[kind][action], items, level };
  });
  return { failed, made };
}

function partItems(items: readonly Item[]): readonly Item[] {
  if (items.length > 0) return items;
  return [{ sign: '', head: 'No changes.', rest: [], level: 'note', rule: 'none', count: 0 }];
}

function changeItems(
  kind: ReportKind,
  changes: readonly ChangeView[],
  options: ChangeOptions,
): readonly Item[] {
  const { risks, full = false } = options;
  const beside = ({ address }: ChangeView) => risks.get(address);
  return groupChanges(changes, { full, beside }).map((one) =>
    isGroup(one) ? groupItem(one, kind, options) : changeItem(one, kind, options),
  );
}

/** The root files of several that fail, then the risks, the most severe kind first. */
function attentionItems(entries: readonly EntryView[]): readonly Item[] {
  const isJoint = entries.length > 1;
  const found = entries.flatMap(({ plan, title }, entry) => {
    const listed = new Set(
      [...(plan?.changes ?? []), ...(plan?.undeclared ?? [])].map(({ address }) => address),
    );
    return (plan?.risks ?? []).map(({ kind, level, label, risks }) => ({
      kind,
      items: risks.map((risk) => {
        const root = isJoint && risk.place?.file !== title ? { root: title } : {};
        return riskItem('risk', {
          ...risk,
          ...root,
          label,
          level,
          entry,
          isListed: listed.has(risk.address),
        });
      }),
    }));
  });
  const ordered = riskOrder.flatMap((one) => found.flatMap(({ kind, items }) => (kind === one ? items : [])));
  return [...(isJoint ? failureItems(entries) : []), ...ordered];
}

/** The risks of each address, as lines such as `auto-apply on: auto-apply: false -> true`. */
function risksByAddress(groups: readonly RiskGroupView[]): ReadonlyMap<string, readonly string[]> {
  const lines = groups.flatMap(({ kind, label, risks }) =>
    risks.map(({ address, detail, resources }) => {
      // The title has the mode of a delete.
      const what = kind === 'delete' && detail !== '' ? resourcesText(resources) : detail;
      return { address, line: what === '' ? label : `${label}: ${what}` };
    }),
  );
  return new Map(
    [...groupBy(lines, ({ address }) => address)].map(([address, same]) => [
      address,
      same.map(({ line }) => line),
    ]),
  );
}
