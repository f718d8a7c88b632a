import { driftRisksOf, type GrantRisk, type Risk, type RiskKind, risksOf } from '../check/risks.ts';
import { sharingSwitches } from '../model/attributes.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { type PlannedChange, projectOfMembers } from '../model/plan.ts';
import { kindOfAddress, nameOfAddress } from '../model/state.ts';
import { groupBy, type Value } from '../model/value.ts';
import { escapeControls } from './escape-controls.ts';
import { type Item, type ItemRisk, namesText, type RisksByAddress, type ShownEntry } from './items.ts';
import { placeOf } from './text/diagnostics-text.ts';
import { valueText } from './values.ts';
import { countedFigure, figure, firstOf } from './words.ts';

interface KindText {
  readonly level: ItemRisk['level'];
  /** What the risks of the kind have in common. */
  readonly label: string;
  /** The label in a drift report, where it differs. */
  readonly driftLabel?: string;
}

/** The most severe first. */
const kindTexts: Readonly<Record<RiskKind, KindText>> = {
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

/** What needs attention in a root file, the most severe kind first. */
export function riskItems({
  kind,
  plan,
  entry,
  changes,
  undeclared,
  index,
  title,
  isJoint,
}: ShownEntry): readonly Item[] {
  if (plan === undefined) return [];
  const isDrift = kind === 'drift';
  const risks = isDrift ? driftRisksOf(plan) : risksOf(plan);
  if (risks.length === 0) return [];
  const planned = new Map(plan.changes.map((change) => [change.address, change]));
  const grants = new Map(plan.undeclaredAccess?.map((grant) => [grant.address, grant.location]));
  const listed = new Set([...changes.map(({ address }) => address), ...undeclared]);
  const itemOf = (risk: Risk, text: Pick<Item, 'head' | 'detail'>): Item => {
    const { level, label, driftLabel = label } = kindTexts[risk.kind];
    const location = grants.get(risk.address) ?? locationOf(risk, planned.get(risk.address));
    const place = location && placeOf(location, entry.path);
    return {
      sign: '!',
      label: isDrift ? driftLabel : label,
      ...text,
      place,
      rest: [],
      level: 'warning',
      rule: 'risk',
      address: escapeControls(risk.address),
      risk: {
        kind: risk.kind,
        level: risk.kind === 'access-gained' && risk.after === 'admin' ? 'high' : level,
        resources: risk.kind === 'delete' ? risk.resources : undefined,
        entry: index,
        root: isJoint && place?.file !== title ? title : undefined,
        isListed: listed.has(risk.address),
      },
    };
  };
  const items = [...groupBy(risks, sameRisk).values()].flatMap((same): readonly Item[] => {
    const gains = same.filter(isGain).map((risk) => itemOf(risk, gainText(risk, isDrift)));
    if (gains.length > mostAlone) return [gainedAlike(same.filter(isGain), gains, isDrift)];
    if (gains.length > 0) return gains;
    const [risk] = same as [Risk];
    const detail = same.map((one) => detailOf(one, isDrift)).join('; ') || undefined;
    return [itemOf(risk, { head: escapeControls(risk.address), detail })];
  });
  return bySeverity(items);
}

interface Gain extends GrantRisk {
  readonly kind: 'access-gained';
}

function isGain(risk: Risk): risk is Gain {
  return risk.kind === 'access-gained';
}

function isByMove({ address }: Gain): boolean {
  return kindOfAddress(address) === 'workspace';
}

/** Several fields of one workspace are one risk, such as an execution mode and its agent pool. */
function sameRisk(risk: Risk): string {
  if (!isGain(risk)) return JSON.stringify([risk.kind, risk.address]);
  const { kind, team, before, after, project } = risk;
  return JSON.stringify([kind, team, before, after, isByMove(risk) && project]);
}

/** The maximum of equal gains that have a line each. */
const mostAlone = 2;

/** What a team gains, and the workspace that gives it by a move. */
function gainText(gain: Gain, isDrift: boolean) {
  const detail = isByMove(gain) ? `by the move of ${escapeControls(gain.address)}` : undefined;
  return { head: gainHead(gain, escapeControls(gain.project), isDrift), detail };
}

function gainHead({ team, before, after }: Gain, where: string, isDrift: boolean): string {
  const had = before ?? '(none)';
  const change = had === after ? `${after} with more permissions` : changeText(had, after, isDrift);
  return `${escapeControls(team)} on ${where}: ${change}`;
}

/** The same of a team in several projects, or by the moves of several workspaces. */
function gainedAlike(gains: readonly Gain[], items: readonly Item[], isDrift: boolean): Item {
  const [first, item] = [gains[0] as Gain, items[0] as Item];
  const names = gains.map(({ address, project }) =>
    escapeControls(isByMove(first) ? nameOfAddress(address) : project),
  );
  const moved = `by the moves of ${countedFigure(names.length, 'workspace')}: `;
  const where = isByMove(first) ? escapeControls(first.project) : countedFigure(names.length, 'project');
  return {
    ...item,
    head: gainHead(first, where, isDrift),
    detail: `${isByMove(first) ? moved : ''}${namesText(names)}`,
    place: undefined,
    count: items.length,
    members: items,
    ...(item.risk && { risk: { ...item.risk, isListed: items.every(({ risk }) => risk?.isListed) } }),
  };
}

/** The most severe kind first. */
export function bySeverity(items: readonly Item[]): readonly Item[] {
  const rank = ({ risk }: Item) => riskOrder.indexOf(risk?.kind ?? '');
  return [...items].sort((a, b) => rank(a) - rank(b));
}

/** The risks of each address, as lines such as `auto-apply on: auto-apply: false -> true`. */
export function risksByAddress(items: readonly Item[]): RisksByAddress {
  const single = items.flatMap((item) => item.members ?? item);
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

/** The line of the field, else that of the resource. */
function locationOf(risk: Risk, change: PlannedChange | undefined): SourceLocation | undefined {
  const origins = change?.origins;
  switch (risk.kind) {
    case 'delete':
    case 'admin-access':
    case 'access-gained':
    case 'access-revoked':
      return change?.location;
    case 'state-access-gained':
    case 'state-access-lost':
      return (
        origins?.['remote-state-consumers'] ??
        sharingSwitches.flatMap((path) => origins?.[path] ?? [])[0] ??
        origins?.project ??
        change?.location
      );
    default:
      return origins?.[risk.path] ?? change?.location;
  }
}

function detailOf(risk: Risk, isDrift: boolean): string {
  switch (risk.kind) {
    case 'delete':
      // A project that is deleted has no workspaces.
      if (isDrift || kindOfAddress(risk.address) !== 'workspace') return '';
      return `${risk.mode ?? 'safe'} delete, ${resourcesText(risk.resources)}`;
    case 'state-access-gained':
    case 'state-access-lost':
      return `by ${readersText(risk.workspaces)}`;
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

/** The maximum of workspaces named per line. */
const maxReaders = 5;

function readersText(workspaces: readonly string[]): string {
  if (workspaces.includes('*')) return 'every workspace';
  const [project] = workspaces.flatMap((reader) => projectOfMembers(reader) ?? []);
  if (project !== undefined) return `every workspace of ${escapeControls(project)}`;
  const names = workspaces.map(escapeControls);
  const { shown, rest } = firstOf(names, maxReaders);
  const more = rest.length > 0 ? ` and ${figure(rest.length)} more` : '';
  return `${countedFigure(names.length, 'workspace')}: ${shown.join(', ')}${more}`;
}
