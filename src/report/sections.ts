import { deletionsIn } from '../check/risks.ts';
import { type Ending, endingOf } from '../model/apply-result.ts';
import { type Action, actions, type Cause } from '../model/change.ts';
import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { NoLongerDeclared, Plan, PlannedChange, UndeclaredGrant } from '../model/plan.ts';
import { type Hold, holdText, lastEnd, withoutEnd } from '../model/rules.ts';
import { commandLine } from '../model/text.ts';
import { groupBy } from '../model/value.ts';
import { type ChangeOptions, changeItem, partsOf, partTitles } from './changes.ts';
import { effectItems, movedPermissions } from './effects.ts';
import { escapeControls, escapeTexts } from './escape-controls.ts';
import { changeItems } from './groups.ts';
import {
  type Item,
  itemLines,
  type RisksByAddress,
  type ShownChange,
  type ShownEntry,
  textItem,
} from './items.ts';
import type { ReportKind } from './report.ts';
import { risksByAddress } from './risks.ts';
import { type PathOf, placeOf, shownDiagnostic } from './text/diagnostics-text.ts';
import { namesText } from './values.ts';
import { countedFigure, placeText } from './words.ts';

/** What the items of a section are. The changes of a `part` have the heading of their cause. */
export type SectionName =
  | 'attention'
  | 'diagnostics'
  | 'failed'
  | 'changes'
  | 'part'
  | 'dropped'
  | 'undeclared'
  | 'held'
  | 'effects'
  | 'permissions';

export interface Section {
  readonly name: SectionName;
  readonly title: string;
  /** The position of its root file in the report; absent for what needs attention in all of several. */
  readonly root?: number | undefined;
  /** `high` is shown at once and omitted last, `low` is omitted first. */
  readonly level: 'high' | 'medium' | 'low';
  readonly items: readonly Item[];
  readonly notes?: readonly string[];
}

export type SectionOptions = Pick<ChangeOptions, 'full' | 'hint' | 'reasonsOnly'>;

/** What needs attention in all of several root files, then the sections of each, with its own `risks`. */
export function reportSections(
  shown: readonly ShownEntry[],
  risks: readonly (readonly Item[])[],
  urgent: readonly Item[],
  options: SectionOptions,
): readonly Section[] {
  const sections = shown.flatMap((one, index) => rootSections(one, risks[index] ?? [], options));
  return urgent.length > 0 ? [attentionSection(urgent), ...sections] : sections;
}

function rootSections(
  shown: ShownEntry,
  attention: readonly Item[],
  options: SectionOptions,
): readonly Section[] {
  const { kind, entry, plan, isJoint } = shown;
  const found = (...levels: readonly Severity[]) =>
    entry.diagnostics
      .filter(({ severity }) => levels.includes(severity))
      .map((diagnostic) => diagnosticItem(shownDiagnostic(diagnostic, entry.path)));
  const all: ChangeOptions = {
    ...options,
    kind,
    path: entry.path,
    risks: risksByAddress(attention),
    deletions: kind === 'drift' && plan ? deletionsIn(plan) : undefined,
  };
  const { failed, made } = changeSections(shown, all, attention);
  const risky = isJoint ? [] : [attentionSection(attention)];
  const sections: readonly (Section | readonly Section[])[] = [
    { name: 'diagnostics', title: 'Errors', items: found('error'), level: 'high' },
    // Of what was applied, failures come first.
    kind === 'apply' ? failed : [],
    risky,
    made,
    plan ? planSections(shown, plan, all) : [],
    { name: 'permissions', title: 'Permissions of levels', items: permissionItems(shown, all), level: 'low' },
    { name: 'diagnostics', title: 'Warnings and notes', items: found('warning', 'note'), level: 'medium' },
  ];
  return sections
    .flat()
    .filter(({ items, notes = [] }) => items.length + notes.length > 0)
    .map((section) => ({ root: shown.index, ...section }));
}

function attentionSection(items: readonly Item[]): Section {
  return { name: 'attention', title: 'Needs attention', items, level: 'high' };
}

const planned = { create: 'To create', update: 'To update', delete: 'To delete' };
const changeTitles: Readonly<Partial<Record<ReportKind, Readonly<Record<Action, string>>>>> = {
  drift: { create: 'Missing', update: 'Changed', delete: 'Deleted by the next apply' },
  apply: { create: 'Created', update: 'Updated', delete: 'Deleted' },
};
/** By outcome once apply has begun, then by cause with a base, else by action. */
function changeSections(shown: ShownEntry, options: ChangeOptions, attention: readonly Item[]) {
  const { kind, plan, changes } = shown;
  const ended = groupBy(changes, (change) => ('result' in change ? endingOf(change) : 'done'));
  const itemsOf = (some: readonly ShownChange[]) => changeItems(some, options);
  const listOf = (...outcomes: readonly Ending[]) =>
    itemsOf(outcomes.flatMap((outcome) => ended.get(outcome) ?? []));
  const failed: Section[] = [
    { name: 'failed', title: 'Failed', items: listOf('failed', 'unknown'), level: 'high' },
    { name: 'failed', title: 'Done in part', items: listOf('partial'), level: 'high' },
    { name: 'failed', title: 'Skipped', items: listOf('skipped', 'held'), level: 'medium' },
  ];
  const done = ended.get('done') ?? [];
  if (plan?.noLongerDeclared === undefined || changes.length === 0) {
    const titles = changeTitles[kind] ?? planned;
    const made = actions.map((action): Section => {
      const items = itemsOf(done.filter((change) => change.action === action));
      return { name: 'changes', title: titles[action], items, level: action === 'delete' ? 'high' : 'low' };
    });
    return { failed, made };
  }
  const partItems = (cause: Cause) =>
    changeItems(partsOf(done, cause), { ...options, risks: risksByAddress(attention, cause) });
  const caused = partItems('change');
  const sent = new Set(partsOf(done, 'change').map(({ address }) => address));
  const asLater = (item: Item): Item => ({
    ...item,
    title: `${earlier}${item.title}`,
    isContinued: sent.has(item.change?.address ?? ''),
    members: item.members?.map(asLater),
  });
  const isHeld = partsOf(plan.changes, 'change').some(({ held }) => held);
  const text = isHeld ? 'No changes now: they are held.' : 'No changes.';
  const own = caused.length > 0 ? caused : [{ ...textItem('none', text), count: 0 }];
  const made: Section[] = [
    { name: 'part', title: partTitles.change, items: own, level: 'high' },
    { name: 'part', title: partTitles.drift, items: partItems('drift').map(asLater), level: 'low' },
  ];
  return { failed, made };
}

/** Before titles, for formats without headings. */
const earlier = 'already different: ';

function planSections(shown: ShownEntry, plan: Plan, options: ChangeOptions): readonly Section[] {
  const { kind, undeclared } = shown;
  const { noLongerDeclared = [], undeclaredAccess = [], effects } = plan;
  const grants = new Map(undeclaredAccess.map((grant) => [grant.address, grant]));
  const { risks, path, full } = options;
  const about = { isDrift: kind === 'drift', path, risks };
  const hint = undeclaredAccess[0]?.hint;
  return [
    {
      name: 'dropped',
      title: partTitles.dropped,
      items: noLongerDeclared.map((one) => droppedItem(one, path)),
      level: 'low',
      notes:
        noLongerDeclared.length > 0 ? ['The base declares them. They stay on the service as they are.'] : [],
    },
    {
      name: 'undeclared',
      title: 'Undeclared (Attune does not change them)',
      items: undeclared.map((address) => undeclaredItem(address, grants.get(address), about)),
      level: 'low',
      notes: undeclared.length > 0 && hint !== undefined ? [escapeControls(`Hint: ${hint}`)] : [],
    },
    {
      name: 'held',
      title: plan.at ? `Held at ${plan.at}` : 'Held',
      items: heldItems(plan, options),
      level: 'medium',
      notes: kind === 'plan' ? freezeNotes(plan) : [],
    },
    { name: 'held', title: 'About this plan', items: [], level: 'high', notes: timeNotes(plan) },
    {
      name: 'effects',
      title: kind === 'apply' ? 'Effects, as planned' : 'Effects',
      items: effectItems(effects, plan.changes, full === true),
      level: 'high',
    },
  ];
}

/** What the levels of grants and of moves grant and revoke. Grants with the same permissions are one item. */
function permissionItems({ kind, changes, plan }: ShownEntry, options: ChangeOptions): readonly Item[] {
  if (kind === 'apply' || options.full) return [];
  const ofGrants = changes.map((change) => changeItem(change, options));
  const ofMoves = (plan?.effects.moves ?? []).flatMap(movedPermissions);
  const known = [...ofGrants, ...ofMoves].filter(({ permissions = [] }) => permissions.length > 0);
  return [...groupBy(known, ({ permissions }) => JSON.stringify(permissions)).values()].map((same) => {
    const heads = [...new Set(same.map(({ head }) => head))];
    const head = namesText(heads, options.hint);
    const detail = same[0]?.permissions?.join('; ');
    return { ...textItem('permissions', ''), head, detail, count: heads.length };
  });
}

/** Its line is one of another revision. */
function droppedItem({ address, field, location }: NoLongerDeclared, path: PathOf): Item {
  const head = field === undefined ? address : `${address}  ${field}`;
  const detail = location && `${placeText(placeOf(location, path))} (base)`;
  const title = `no longer declared: ${head}`;
  return { ...textItem('no-longer-declared', head), ...escapeTexts({ title, detail, address }) };
}

function undeclaredItem(
  undeclared: string,
  grant: UndeclaredGrant | undefined,
  { isDrift, path, risks }: { isDrift: boolean; path: PathOf; risks: RisksByAddress },
): Item {
  const address = escapeControls(undeclared);
  const why = risks.get(address);
  return {
    rule: 'undeclared',
    sign: '?',
    head: address,
    title: `undeclared: ${address}`,
    detail: grant?.access,
    place: grant?.location && placeOf(grant.location, path),
    rest: [],
    level: isDrift || why ? 'warning' : 'note',
    address,
    risks: why,
  };
}

function diagnosticItem(diagnostic: Diagnostic): Item {
  const { code, severity, message, policy, hint, location, address } = diagnostic;
  const construct = location?.construct;
  return {
    sign: '',
    head: construct === undefined ? message : `${message} (construct ${construct})`,
    title: policy === undefined ? code : `policy ${policy}`,
    place: location,
    rest: hint === undefined ? [] : [`hint: ${hint}`],
    level: severity,
    rule: policy === undefined ? code : `policy/${policy}`,
    address,
    diagnostic,
  };
}

/** As many addresses as fit on the line of what holds them. */
const mostOnLine = 3;

function heldItems({ changes, noLongerDeclared }: Plan, options: ChangeOptions): readonly Item[] {
  const causes = noLongerDeclared ? (['change', 'drift'] as const) : [undefined];
  const parts = causes.flatMap((cause) =>
    changes.flatMap((change) =>
      [...groupBy(change.held ?? [], holdText)].flatMap(([reason, holds]) =>
        partsOf([heldPart(change, holds)], cause).map((part) => ({ cause, reason, part })),
      ),
    ),
  );
  const ofChanges = groupBy(parts, ({ part }) => part.address);
  const { full, hint = '' } = options;
  return [...groupBy(parts, ({ cause, reason }) => `${cause} ${reason}`).values()].map((same) => {
    const [{ cause, reason }] = same as [(typeof same)[number]];
    const members = same.map(({ part }) => changeItem(part, options));
    const addresses = members.map(({ head }) => head);
    // What has no hint has a fold, which names several.
    const isNamed = !full && (hint !== '' || addresses.length === 1);
    const names = isNamed ? `: ${namesText(addresses, hint, mostOnLine)}` : '';
    return {
      ...textItem('held', cause ? `${partTitles[cause]}: ${reason}` : reason),
      title: escapeControls(`${cause === 'drift' ? earlier : ''}held by ${reason}`),
      detail: `${countedFigure(members.length, 'change')}${names}`,
      rest: full ? members.flatMap((member) => itemLines(member)) : [],
      // A change with several reasons or causes is one resource.
      count: same.filter((one) => ofChanges.get(one.part.address)?.[0] === one).length,
      members,
    };
  });
}

/** What waits is not sent, so this plan has no risks of it. */
function freezeNotes({ changes, undo, due, base }: Plan): readonly string[] {
  const holds = changes.flatMap(({ held = [] }) => held.filter(({ by }) => by === 'freeze'));
  const until = lastEnd(holds);
  if (undo || holds.length === 0 || until === withoutEnd) return [];
  // A backtick would end the code.
  const isNamed = base !== undefined && !base.ref.includes('`');
  const compared = isNamed ? ['--base', base.ref, base.onlyChanged ? '--only-changed' : []] : [];
  const words = ['attune', 'plan', due ? '--due' : [], compared, '--at', until];
  const text = `\`${commandLine(words.flat(2))}\`, with the same files and other flags,`;
  return [escapeControls(`Hint: ${text} shows it with its risks`)];
}

/** A hold of the whole change is about the fields that no other hold names. */
function heldPart({ held = [], ...change }: PlannedChange, holds: readonly Hold[]): PlannedChange {
  const named = held.flatMap(({ fields = [] }) => fields);
  const fields = change.fields.filter(({ path }) =>
    holds.some((hold) => hold.fields?.includes(path) ?? !named.includes(path)),
  );
  return { ...change, fields, calls: [] };
}

function timeNotes({ at, hypothetical, freezeOverridden }: Plan): readonly string[] {
  const notes = [
    hypothetical && `This plan shows ${at}, and cannot be applied.`,
    freezeOverridden !== undefined && `Freeze windows are overridden: ${freezeOverridden}`,
  ];
  return escapeTexts(notes.filter((note) => typeof note === 'string'));
}
