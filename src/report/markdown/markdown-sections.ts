import type { Ending } from '../../model/apply-result.ts';
import type { Action } from '../../model/change.ts';
import type { Severity } from '../../model/diagnostic.ts';
import {
  type ChangeGroup,
  type ChangePart,
  groupChanges,
  isGroup,
  noLongerDeclaredTexts,
  partHeadings,
} from '../change-lists.ts';
import type { ChangeView } from '../change-view.ts';
import { byAttention, jointAttention } from '../joint-view.ts';
import type { ReportKind } from '../report.ts';
import type { EntryView, PlanView, ReportView } from '../report-view.ts';
import { type RiskGroupView, restText } from '../risk-view.ts';
import { changeLines, groupText } from '../text/change-text.ts';
import { diagnosticLines } from '../text/diagnostics-text.ts';
import {
  grantChangeText,
  inheritedTagsText,
  inheritedText,
  moveSentence,
  stateAccessTexts,
} from '../text/effects-text.ts';
import { signs } from '../text/plan-text.ts';
import { firstOf, placeText } from '../words.ts';
import { codeSpan, shortened } from './markdown-text.ts';

/** One part of a comment: what is in it, and how it is shown. */
export interface Section {
  readonly title: string;
  /** The root file; empty if the report has one. */
  readonly root: string;
  /** Shown at once, and cut last. */
  readonly important: boolean;
  readonly style: 'diff' | 'text' | 'list';
  readonly items: readonly Item[];
}

export interface Item {
  readonly head: string;
  readonly rest: readonly string[];
  /** The number of its resources. @default 1 */
  readonly count?: number;
}

/** The first section of a report of one root file, which has no heading. */
export const overallTitle = '';

/** How many resources items are about. */
export function countOf(items: readonly Item[]): number {
  return items.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** All parts of a report, the most important first. */
export function sectionsOf(
  { entries, isJoint, titles: heading, totals }: ReportView,
  full: boolean,
): Section[] {
  const shown = { root: '', important: true, style: 'list' } as const;
  const overview: Section = {
    ...shown,
    title: isJoint ? heading : overallTitle,
    items: [
      ...(isJoint ? byAttention(entries).map(rootLine) : entries.map(summaryLine)).map(lineItem),
      // A sum is not a root file.
      ...totals.map((total) => remark(`**${total}**`)),
    ],
  };
  const attention = isJoint ? riskItems(jointAttention(entries)) : [];
  const failed = entries.filter((entry) => entry.failed);
  const parts = entries
    .filter((entry) => !entry.failed)
    .map((entry) => entrySections(entry, { isJoint, full }));
  // By importance first, so that the deletions of all organizations precede updates.
  const ranks = parts[0]?.map((_, rank) => parts.flatMap((part) => part[rank] ?? [])) ?? [];
  return [
    { ...shown, title: attentionTitle, items: attention },
    overview,
    ...failed.flatMap((entry) => entrySections(entry, { isJoint, full })),
    ...ranks.flat(),
  ].filter(({ items }) => items.length > 0);
}

const attentionTitle = 'Needs attention';

function lineItem(head: string): Item {
  return { head, rest: [] };
}

/** A line about no resource. */
function remark(head: string, rest: readonly string[] = []): Item {
  return { head, rest, count: 0 };
}

const noChanges = remark('No changes.');

function summaryLine({ plan, source, summary }: EntryView): string {
  if (plan === undefined)
    return source === undefined ? summary : `**${codeSpan(shortened(source))}**: ${summary}`;
  return `**${codeSpan(plan.organization)}** (${codeSpan(shortened(plan.address))}): ${summary}`;
}

/** One of several root files. */
function rootLine({ title, statusText, organization, plan, summary }: EntryView): string {
  const names = [
    ...(organization === undefined || organization === title ? [] : [organization]),
    ...(plan ? [plan.address] : []),
  ].map((name) => codeSpan(shortened(name)));
  const where = names.length === 0 ? '' : ` (${names.join(', ')})`;
  return `**${statusText}**: ${codeSpan(shortened(title))}${where}: ${summary}`;
}

/** As many parts for every entry, those without items too. */
function entrySections(
  { kind, title: root, diagnostics, plan }: EntryView,
  { isJoint, full }: { readonly isJoint: boolean; readonly full: boolean },
): Section[] {
  const words = titles[kind];
  const { changes = [], parts = [] } = plan ?? {};
  const [own, before] = parts.filter(({ heading }) => heading !== undefined);
  const unchanged = own?.changes.length === 0 && !isJoint && changes.length > 0;
  const endedAs = (...outcomes: readonly Ending[]) =>
    itemsOf(
      changes.filter(({ outcome }) => outcome !== undefined && outcomes.includes(outcome)),
      kind,
    );
  // With a base, changes are listed by their causes instead of their actions.
  const byAction = (action: Action) =>
    own ? [] : changes.filter((change) => change.action === action && ended(change));
  const found = (...levels: readonly Severity[]) =>
    diagnostics.filter(({ severity }) => levels.includes(severity)).map((one) => item(diagnosticLines(one)));
  const part = (title: string, items: readonly Item[], shown: Partial<Section> = {}): Section => {
    const style = kind === 'drift' ? 'text' : 'diff';
    return { title, root: isJoint ? root : '', important: false, style, items, ...shown };
  };
  const important = { important: true };
  const list = { style: 'list' } as const;
  const text = { style: 'text' } as const;
  // A report of several root files begins with the risks of all.
  const attention = isJoint || !plan ? [] : riskItems(plan.risks);
  const risks = part(attentionTitle, attention, { ...important, ...list });
  return [
    ...(kind === 'apply' ? [] : [risks]),
    part('Errors', found('error'), { ...important, ...text }),
    part('Failed', endedAs('failed', 'unknown'), important),
    part('Done in part', endedAs('partial'), important),
    ...(kind === 'apply' ? [risks] : []),
    part(partHeadings.change, unchanged ? [noChanges] : partItems(own, kind, full), important),
    part(words.delete, itemsOf(byAction('delete'), kind), important),
    part(words.access, plan ? accessItems(plan) : [], { ...important, ...list }),
    part('Skipped', endedAs('skipped', 'held')),
    part(plan?.held?.heading ?? 'Held', plan ? heldItems(plan, kind) : [], text),
    part(words.tags, plan ? inheritedItems(plan) : [], list),
    part('Warnings and notes', found('warning', 'note'), text),
    part(partHeadings.drift, partItems(before, kind, full)),
    part(words.update, grouped(byAction('update'), kind, full)),
    part(words.create, itemsOf(byAction('create'), kind)),
    part(partHeadings.dropped, droppedItems(plan), text),
    part('Undeclared', undeclaredItems(plan), text),
  ];
}

/** A change that failed or was skipped is listed under its outcome. */
function ended({ outcome }: ChangeView): boolean {
  return outcome === undefined || outcome === 'done';
}

/** What waits, with the reason of each. */
function heldItems({ held }: PlanView, kind: ReportKind): Item[] {
  if (held === undefined) return [];
  return [
    ...held.groups.flatMap(({ reason, changes }) =>
      changes.map(
        (change): Item => ({
          head: `${signs[change.action]} ${change.address}  (${reason})`,
          rest: changeLines(change, kind).map((line) => `    ${line.trimStart()}`),
        }),
      ),
    ),
    ...held.notes.map((note) => remark(note)),
  ];
}

/** Deletions first: they are cut last. */
function partItems(part: ChangePart | undefined, kind: ReportKind, full: boolean): Item[] {
  const changes = part?.changes.filter(ended) ?? [];
  const isDelete = ({ action }: ChangeView) => action === 'delete';
  return grouped([...changes.filter(isDelete), ...changes.filter((change) => !isDelete(change))], kind, full);
}

function grouped(changes: readonly ChangeView[], kind: ReportKind, full: boolean): Item[] {
  return groupChanges(changes, { full }).map((one) =>
    isGroup(one) ? groupItem(one, kind) : changeItem(one, kind),
  );
}

function droppedItems(plan: PlanView | undefined): Item[] {
  return (plan?.noLongerDeclared ?? []).map((one) => {
    const { what, where } = noLongerDeclaredTexts(one);
    return item([`${what}  ${where}`.trimEnd()]);
  });
}

const planned = {
  create: 'To create',
  update: 'To update',
  delete: 'To delete',
  access: 'Changes of access',
  tags: 'Inherited key/value tags',
};

const titles: Readonly<Record<ReportKind, typeof planned>> = {
  validate: planned,
  export: planned,
  plan: planned,
  drift: {
    create: 'Missing',
    update: 'Changed',
    delete: 'Extra',
    access: 'Changes of access if the configuration is applied',
    tags: 'Inherited key/value tags if the configuration is applied',
  },
  apply: {
    create: 'Created',
    update: 'Updated',
    delete: 'Deleted',
    access: 'Changes of access, as planned',
    tags: 'Inherited key/value tags, as planned',
  },
};

function itemsOf(changes: readonly ChangeView[], kind: ReportKind): Item[] {
  return changes.map((change) => changeItem(change, kind));
}

function changeItem(change: ChangeView, kind: ReportKind): Item {
  const { action, outcome, title, place } = change;
  const sign = outcome !== undefined && outcome !== 'done' ? '!' : signs[action];
  const where = place ? placeText(place) : '';
  return item([
    `${sign} ${title}  ${where}`.trimEnd(),
    ...changeLines(change, kind).map((line) => `    ${line}`),
  ]);
}

/** A group of equal updates, with the sign of an update. */
function groupItem(group: ChangeGroup, kind: ReportKind): Item {
  const { head, rest } = groupText(group, kind);
  const { length: count } = group.members;
  return { ...item([`${signs.update} ${head}`, ...rest.map((line) => `    ${line}`)]), count };
}

/** The maximum of risks of one kind that are listed. */
const maxRisks = 20;

function riskItems(groups: readonly RiskGroupView[]): Item[] {
  return groups.flatMap((group) => {
    const label = `**${group.label}**`;
    const { shown, rest } = firstOf(group.risks, maxRisks);
    const lines = shown.map(({ address, root, detail, place }) => {
      const places = [root ?? [], place ? placeText(place) : []].flat();
      const where = places.length > 0 ? ` (${places.map((one) => codeSpan(shortened(one))).join(', ')})` : '';
      const what = detail === '' ? '' : `: ${codeSpan(shortened(detail))}`;
      return `${label}: ${codeSpan(shortened(address))}${what}${where}`;
    });
    const more = rest.length > 0 ? [`${label}: ${restText(group, rest)}`] : [];
    return [...lines.map(lineItem), ...more.map((head) => ({ ...lineItem(head), count: rest.length }))];
  });
}

function undeclaredItems(plan: PlanView | undefined): Item[] {
  if (plan === undefined || plan.applied) return [];
  const { undeclared, undeclaredHint } = plan;
  return undeclared.map(({ address, level, place }, index) => {
    const where = place ? `  ${placeText(place)}` : '';
    const isLast = index === undeclared.length - 1;
    return item([
      `? undeclared: ${address}${level === undefined ? '' : `  ${level}`}${where}`,
      ...(isLast && undeclaredHint !== undefined ? [`  hint: ${undeclaredHint}`] : []),
    ]);
  });
}

function item([head = '', ...rest]: readonly string[]): Item {
  return { head: shortened(head), rest: rest.map((line) => shortened(line)) };
}

/** The maximum of names per sentence; the rest is counted. */
const maxNames = 20;

const options = { names: maxNames, quote: (text: string) => codeSpan(shortened(text)) };

function inheritedItems({ inherited, inheritedTags }: PlanView): Item[] {
  const lines = [
    ...inherited.map((one) => inheritedText(one, options)),
    ...inheritedTags.map((tags) => inheritedTagsText(tags, options)),
  ];
  return lines.map(lineItem);
}

function accessItems({ changes, stateAccess, moves }: PlanView): Item[] {
  const lines = [
    ...changes.flatMap(({ grant }) => (grant ? [grantChangeText(grant, options)] : [])),
    ...stateAccess.flatMap((change) => stateAccessTexts(change, options)),
  ];
  return [...lines.map(lineItem), ...moves.map((move) => moveSentence(move, options))];
}
