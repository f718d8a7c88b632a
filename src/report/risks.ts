import { driftRisksOf, type GrantRisk, type Risk, type RiskKind, risksOf } from '../check/risks.ts';
import { endingOf } from '../model/apply-result.ts';
import { sharingSwitches } from '../model/attributes.ts';
import type { Cause } from '../model/change.ts';
import { projectOfMembers } from '../model/plan.ts';
import { kindOfAddress, nameOfAddress } from '../model/state.ts';
import { groupBy, type Value } from '../model/value.ts';
import { partsOf } from './changes.ts';
import { escapeControls } from './escape-controls.ts';
import { type Item, kindNouns, type RisksByAddress, type ShownChange, type ShownEntry } from './items.ts';
import { placeOf } from './text/diagnostics-text.ts';
import { namesText, valueText } from './values.ts';
import { countedFigure } from './words.ts';

/** The most severe first. */
const kindTexts: Readonly<
  Record<RiskKind, { level: 'high' | 'medium'; label: string; driftLabel?: string }>
> = {
  delete: { level: 'high', label: 'delete', driftLabel: 'missing' },
  'protection-lost': { level: 'high', label: 'protection lost' },
  'auto-apply': { level: 'high', label: 'auto-apply on' },
  'admin-access': { level: 'high', label: 'admin access' },
  'access-gained': { level: 'medium', label: 'access gained' },
  'state-access-gained': { level: 'medium', label: 'state access gained' },
  execution: { level: 'medium', label: 'execution mode' },
  repository: { level: 'medium', label: 'repository' },
  'state-access-lost': { level: 'medium', label: 'state access lost' },
  'access-revoked': { level: 'medium', label: 'access revoked' },
  unlock: { level: 'medium', label: 'unlock', driftLabel: 'unlocked' },
};

const riskOrder = Object.keys(kindTexts);

/** The risks of each root file, and of all together. */
export function reportRisks(shown: readonly ShownEntry[], full: boolean) {
  const byEntry = shown.map((one) => riskItems(one, ownFolder(one, shown), full));
  return { byEntry, all: bySeverity(byEntry.flat()) };
}

/** The folder of a root file, unless it has another root file. */
function ownFolder({ title }: ShownEntry, shown: readonly ShownEntry[]): string | undefined {
  const folder = title.slice(0, title.lastIndexOf('/') + 1);
  return shown.filter((one) => one.title.startsWith(folder)).length === 1 ? folder : undefined;
}

function riskItems(shown: ShownEntry, folder: string | undefined, full: boolean): readonly Item[] {
  const { kind, plan, entry, changes, undeclared, index, title, isJoint } = shown;
  if (plan === undefined) return [];
  const isDrift = kind === 'drift';
  const risks = entry.risks ?? (isDrift ? driftRisksOf(plan) : risksOf(plan));
  const planned = new Map<string, ShownChange>(
    (entry.result ?? plan).changes.map((change) => [change.address, change]),
  );
  const grants = new Map(plan.undeclaredAccess?.map((grant) => [grant.address, grant.location]));
  // What other workspaces inherit and who reads their state depends on them.
  const moves = [...planned.values()].filter(
    ({ kind, fields }) => kind === 'project' || fields.some(({ path }) => path === 'project'),
  );
  const made = new Map(changes.map((change) => [change.address, change]));
  const single = [...groupBy(risks, resourceRisk).values()].map((same): ItemOfRisk => {
    const [risk] = same as [Risk];
    const { level, label, driftLabel = label } = kindTexts[risk.kind];
    const own = planned.get(risk.address);
    const paths = 'path' in risk ? [risk.path] : 'workspaces' in risk ? ofState : [];
    const [origin = own?.location] = paths.flatMap((path) => own?.origins?.[path] ?? []);
    const location = grants.get(risk.address) ?? origin;
    const place = location && placeOf(location, entry.path);
    const isInFolder = folder !== undefined && place?.file.startsWith(folder);
    const change = made.get(risk.address);
    const cause = change && causeOf(risk, change);
    const isOwn =
      own?.action === 'delete' || own?.protectionLost || own?.fields.some(({ path }) => paths.includes(path));
    const causes: readonly ShownChange[] = isOwn || paths.length === 0 ? [own ?? []].flat() : moves;
    const endings = causes.map((one) => ('result' in one ? endingOf(one) : 'done'));
    const outcome = endings.includes('done') ? undefined : endings[0];
    const notes = [cause === 'drift' && 'already different', outcome].filter(Boolean).join(', ');
    const detail = same.map((one) => detailOf(one, isDrift)).join('; ') || undefined;
    const item: Item = {
      sign: '!',
      label: (isDrift ? driftLabel : label) + (notes && ` (${notes})`),
      ...(isGain(risk)
        ? { ...gainText([risk], isDrift), columns: gainText([risk], isDrift, true) }
        : { head: escapeControls(risk.address), detail }),
      place,
      rest: [],
      level: 'warning',
      rule: 'risk',
      address: escapeControls(risk.address),
      risk: {
        kind: risk.kind,
        cause,
        level: risk.kind === 'access-gained' && risk.after === 'admin' ? 'high' : level,
        resources: risk.kind === 'delete' ? risk.resources : undefined,
        entry: index,
        root: isJoint && place?.file !== title && !isInFolder ? title : undefined,
        isListed: change !== undefined || undeclared.includes(risk.address),
      },
    };
    return { risk, item };
  });
  const items = [...groupBy(single, alike).values()].flatMap((same) =>
    !full && same.length > mostAlone
      ? groupOf(same, isDrift, isJoint ? title : undefined)
      : same.map(({ item }) => item),
  );
  return bySeverity(items);
}

/** Of its field, if it is about one, else of the change. */
function causeOf(risk: Risk, change: ShownChange): Cause {
  const fields = change.fields.filter(({ path }) => 'path' in risk && path === risk.path);
  const about = fields.length > 0 ? { ...change, fields } : change;
  return partsOf([about], 'change').length > 0 ? 'change' : 'drift';
}

type RiskText = Pick<Item, 'head' | 'detail'>;

interface ItemOfRisk {
  readonly risk: Risk;
  readonly item: Item;
}

type Gain = GrantRisk & { readonly kind: 'access-gained' };

function isGain(risk: Risk): risk is Gain {
  return risk.kind === 'access-gained';
}

function isByMove({ address }: Gain): boolean {
  return kindOfAddress(address) === 'workspace';
}

/** Several fields of one workspace are one risk, such as an execution mode and its agent pool. */
function resourceRisk(risk: Risk): string {
  const { kind, address } = risk;
  return JSON.stringify([kind, address, isGain(risk) && risk.team]);
}

const mostAlone = 2;

const ofState = ['remote-state-consumers', ...sharingSwitches, 'project'];

/** Equal for the same risk of several resources. The names of what is deleted are the risk. */
function alike({ risk, item: { label, detail } }: ItemOfRisk): string {
  const { kind, address } = risk;
  if (kind === 'delete') return JSON.stringify([kind, address]);
  if (isGain(risk)) {
    const { team, before, after, project } = risk;
    return JSON.stringify([label, team, before, after, isByMove(risk) && project]);
  }
  return JSON.stringify([label, detail]);
}

function groupOf(same: readonly ItemOfRisk[], isDrift: boolean, root: string | undefined): Item {
  const [{ item }] = same as readonly [ItemOfRisk];
  const members = same.map((one) => one.item);
  const risks = same.map(({ risk }) => risk);
  const gains = risks.filter(isGain);
  const textOf = (inColumns: boolean) =>
    gains.length > 0 ? gainText(gains, isDrift, inColumns) : { head: countText(risks, inColumns) };
  return {
    ...item,
    ...textOf(false),
    columns: { detail: item.detail, ...textOf(true) },
    place: undefined,
    count: members.length,
    members,
    risk: item.risk && { ...item.risk, root },
  };
}

/** In columns without the names, which a fold lists. */
function countText(risks: readonly Risk[], inColumns: boolean): string {
  const byKind = groupBy(risks, ({ address }) => kindOfAddress(address) ?? 'workspace');
  const counts = [...byKind].map(([kind, { length }]) => countedFigure(length, kindNouns[kind]));
  const names = risks.map(({ address }) => escapeControls(nameOfAddress(address)));
  return counts.join(' and ') + (inColumns ? '' : `: ${namesText(names)}`);
}

/** Equal gains of several projects, or by moves into one. */
function gainText(gains: readonly Gain[], isDrift: boolean, inColumns = false): RiskText {
  const [gain] = gains as readonly [Gain];
  const had = gain.before ?? '(none)';
  const change =
    had === gain.after ? `${gain.after} with more permissions` : changeText(had, gain.after, isDrift);
  const textOf = (where: string, detail?: string): RiskText => {
    const head = `${escapeControls(gain.team)} on ${where}`;
    return inColumns
      ? { head, detail: [change, detail].filter(Boolean).join(', ') }
      : { head: `${head}: ${change}`, detail };
  };
  const projects = gains.map(({ project }) => escapeControls(project));
  const [project = ''] = projects;
  if (isByMove(gain)) {
    const moved = gains.length === 1 ? escapeControls(gain.address) : countText(gains, inColumns);
    // What drift compares is the access to the workspace, whatever is declared for the project.
    return isDrift ? textOf(moved, `through project ${project}`) : textOf(project, `by the move of ${moved}`);
  }
  if (gains.length === 1) return textOf(project);
  return textOf(countedFigure(projects.length, 'project'), inColumns ? undefined : namesText(projects));
}

function bySeverity(items: readonly Item[]): readonly Item[] {
  const rank = ({ risk }: Item) =>
    riskOrder.indexOf(risk?.kind ?? '') +
    (risk?.level === 'high' ? 0 : riskOrder.length) +
    (risk?.cause === 'drift' ? 0.5 : 0);
  return [...items].sort((a, b) => rank(a) - rank(b));
}

/** Those of changes with the cause, if one is given. */
export function risksByAddress(items: readonly Item[], cause?: Cause): RisksByAddress {
  const all = items.flatMap((item) => item.members ?? item);
  const single = all.filter(({ risk }) => cause === undefined || risk?.cause === cause);
  const lines = [...groupBy(single, ({ address }) => address)].map(([address = '', same]) => {
    const texts = same.map(({ label, head, detail, risk }) => {
      // The title has the mode of a delete.
      const what =
        risk?.kind === 'access-gained'
          ? head
          : risk?.kind === 'delete' && detail
            ? resourcesText(risk.resources)
            : detail;
      return what ? `${label}: ${what}` : String(label);
    });
    return [address, texts] as const;
  });
  return new Map(lines);
}

function detailOf(risk: Risk, isDrift: boolean): string {
  switch (risk.kind) {
    case 'delete':
      // A project that is deleted has no workspaces.
      if (isDrift || kindOfAddress(risk.address) !== 'workspace') return '';
      return `${risk.mode ?? 'safe'} delete, ${resourcesText(risk.resources)}`;
    case 'state-access-gained':
    case 'state-access-lost':
      return `by ${readersText(risk.workspaces, risk.except)}`;
    case 'admin-access':
    case 'access-gained':
    case 'access-revoked':
      if (risk.undeclared) return 'live, not declared';
      return changeText(risk.before ?? 'none', risk.after ?? 'none', isDrift);
    case 'unlock':
      return changeText('locked', 'unlocked', isDrift);
    default: {
      const { path, before, after } = risk;
      return `${escapeControls(path)}: ${changeText(before, after, isDrift)}`;
    }
  }
}

/** In a drift report the step goes from the declared value to the live one. */
function changeText(before: Value, after: Value, isDrift: boolean): string {
  const [had, has] = [valueText(before), valueText(after)];
  return isDrift ? `live ${has}, declared ${had}` : `${had} -> ${has}`;
}

function resourcesText(resources: number | undefined): string {
  return resources === undefined
    ? 'number of managed resources unknown'
    : countedFigure(resources, 'managed resource');
}

function readersText(workspaces: readonly string[], except?: readonly string[]): string {
  if (workspaces.includes('*')) return `every workspace${except ? `, except ${readersText(except)}` : ''}`;
  const [project] = workspaces.flatMap((reader) => projectOfMembers(reader) ?? []);
  if (project !== undefined) return `every workspace of ${escapeControls(project)}`;
  return `${countedFigure(workspaces.length, 'workspace')}: ${namesText(workspaces.map(escapeControls))}`;
}
