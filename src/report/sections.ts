import type { Ending } from '../model/apply-result.ts';
import { type Action, actions } from '../model/change.ts';
import type { Severity } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import { groupBy } from '../model/value.ts';
import { groupChanges, isGroup, partsOf, partTitles } from './change-lists.ts';
import type { ChangeView } from './change-view.ts';
import type { EntryView } from './entry-view.ts';
import { escapeControls } from './escape-controls.ts';
import { heldItems, heldTitle, timeNotes } from './held-section.ts';
import {
  type ChangeOptions,
  changeItem,
  diagnosticItem,
  droppedItem,
  failureItems,
  groupItem,
  type Item,
  mostNamed,
  riskItem,
  type SectionOptions,
  textItem,
  undeclaredItem,
} from './items.ts';
import type { ReportEntry, ReportKind } from './report.ts';
import { bySeverity, type RiskView, resourcesText } from './risk-view.ts';
import { effectTexts } from './text/effects-text.ts';

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

/** An entry of a report, with what formats show of it. */
export interface ShownEntry {
  readonly entry: ReportEntry;
  readonly view: EntryView;
}

/** All sections: what needs attention in all of several root files, then those of each. */
export function sectionsOf(shown: readonly ShownEntry[], options: SectionOptions): readonly Section[] {
  const attention: Draft = {
    name: 'attention',
    title: 'Needs attention',
    items: attentionItems(shown),
    level: 'high',
  };
  const isJoint = shown.length > 1;
  const ofEach = shown.flatMap((one, root) =>
    entryDrafts(one, isJoint ? [] : [attention], options).map((draft) => ({ root, ...draft })),
  );
  return [...(isJoint ? [attention] : []), ...ofEach]
    .map((draft): Section => ({ level: 'low', notes: [], ...draft }))
    .filter(({ items, notes }) => items.length + notes.length > 0);
}

function planOf({ entry }: ShownEntry): Plan | undefined {
  return entry.plan ?? entry.result?.plan;
}

/** An apply does not read the scope again, so its result does not list what is undeclared. */
function undeclaredOf(shown: ShownEntry): readonly string[] {
  return shown.view.plan?.applied ? [] : (planOf(shown)?.unmanaged ?? []);
}

function entryDrafts(shown: ShownEntry, attention: readonly Draft[], options: SectionOptions): Draft[] {
  const { kind, diagnostics, plan: view } = shown.view;
  const found = (...levels: readonly Severity[]) =>
    diagnostics.filter(({ severity }) => levels.includes(severity)).map(diagnosticItem);
  const risks = risksByAddress(view?.risks ?? []);
  const { failed, made } = changeDrafts(shown, { ...options, risks });
  // Of what was applied, failures come first.
  const [first, second] = kind === 'apply' ? [failed, attention] : [attention, failed];
  return [
    { name: 'diagnostics', title: 'Errors', items: found('error'), level: 'high' },
    ...first,
    ...second,
    ...made,
    ...planDrafts(shown, { ...options, risks }),
    { name: 'diagnostics', title: 'Warnings and notes', items: found('warning', 'note'), level: 'medium' },
  ];
}

function planDrafts(shown: ShownEntry, options: ChangeOptions): Draft[] {
  const plan = planOf(shown);
  if (plan === undefined) return [];
  const { kind } = shown.view;
  const { path } = shown.entry;
  const { noLongerDeclared = [], undeclaredAccess = [], effects } = plan;
  const grants = new Map(undeclaredAccess.map((grant) => [grant.address, grant]));
  const undeclared = undeclaredOf(shown);
  const { risks, full } = options;
  const sentences = effectTexts(effects, full ? Number.POSITIVE_INFINITY : mostNamed);
  return [
    {
      name: 'dropped',
      title: partTitles.dropped,
      items: noLongerDeclared.map((one) => droppedItem(one, path)),
      notes:
        noLongerDeclared.length > 0 ? ['The base declares them. They stay on the service as they are.'] : [],
    },
    {
      name: 'undeclared',
      title: 'Undeclared (Attune does not change them)',
      items: undeclared.map((address) =>
        undeclaredItem(address, grants.get(address), kind, {
          path,
          risks: risks.get(escapeControls(address)),
        }),
      ),
      notes:
        undeclared.length > 0
          ? undeclaredAccess.slice(0, 1).map(({ hint }) => escapeControls(`Hint: ${hint}`))
          : [],
    },
    {
      name: 'held',
      title: heldTitle(plan),
      items: heldItems(kind, plan, { ...options, path }),
      level: 'medium',
      notes: timeNotes(plan),
    },
    {
      name: 'effects',
      title: effectTitles[kind],
      items: sentences.map(({ about, head, rest }) => textItem(about, head, rest)),
      level: 'high',
    },
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
function changeDrafts(shown: ShownEntry, options: ChangeOptions) {
  const { kind, plan: view } = shown.view;
  const { changes = [] } = view ?? {};
  const itemsOf = (some: readonly ChangeView[]) => changeItems(kind, some, options);
  const endedAs = (...outcomes: readonly Ending[]) =>
    itemsOf(changes.filter(({ outcome }) => outcome !== undefined && outcomes.includes(outcome)));
  const done = changes.filter(({ outcome }) => outcome === undefined || outcome === 'done');
  const failed: Draft[] = [
    { name: 'changes', title: 'Failed', items: endedAs('failed', 'unknown'), level: 'high' },
    { name: 'changes', title: 'Done in part', items: endedAs('partial'), level: 'high' },
    { name: 'changes', title: 'Skipped', items: endedAs('skipped', 'held'), level: 'medium' },
  ];
  if (planOf(shown)?.noLongerDeclared !== undefined && changes.length > 0 && !options.byAction) {
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
function attentionItems(shown: readonly ShownEntry[]): readonly Item[] {
  const isJoint = shown.length > 1;
  const risks = shown.flatMap((one, entry) => {
    const { view } = one;
    const { changes = [], risks: found = [] } = view.plan ?? {};
    const listed = new Set([
      ...changes.map(({ address }) => address),
      ...undeclaredOf(one).map(escapeControls),
    ]);
    return found.map((risk) => {
      const root = isJoint && risk.place?.file !== view.title ? { root: view.title } : {};
      return { ...risk, ...root, entry, isListed: listed.has(risk.address) };
    });
  });
  const failures = isJoint ? failureItems(shown.map(({ view }) => view)) : [];
  return [...failures, ...bySeverity(risks).map((risk) => riskItem('risk', risk))];
}

/** The risks of each address, as lines such as `auto-apply on: auto-apply: false -> true`. */
function risksByAddress(risks: readonly RiskView[]): ReadonlyMap<string, readonly string[]> {
  const lines = [...groupBy(risks, ({ address }) => address)].map(([address, same]) => {
    const texts = same.map(({ kind, label, detail, resources }) => {
      // The title has the mode of a delete.
      const what = kind === 'delete' && detail !== '' ? resourcesText(resources) : detail;
      return what === '' ? label : `${label}: ${what}`;
    });
    return [address, texts] as const;
  });
  return new Map(lines);
}
