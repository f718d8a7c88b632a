import type { Paint, Style } from '../paint.ts';
import { type RiskGroupView, type RiskLevel, type RiskView, restText } from '../risk-view.ts';
import type { TextOptions } from './text-options.ts';

/** The maximum of risks of one kind that are listed, of one root file and of several; `--full` lists all. */
const maxRisks = 5;
const maxJointRisks = 20;

const styles: Readonly<Record<RiskLevel, Style>> = { high: 'red', medium: 'yellow' };

/** Where the details start. */
const detailColumn = 45;

/** What needs attention, one line for each risk, an empty line at the end. */
export function riskLines(groups: readonly RiskGroupView[], options: TextOptions, isJoint = false): string[] {
  if (groups.length === 0) return [];
  const most = options.full ? Number.POSITIVE_INFINITY : isJoint ? maxJointRisks : maxRisks;
  return [
    options.paint('bold', 'Needs attention:'),
    ...groups.flatMap((group) => groupLines(group, most, options)),
    '',
  ];
}

function groupLines(group: RiskGroupView, most: number, { paint, hint }: TextOptions): string[] {
  const { level, label, risks } = group;
  // One more line is as short as its count.
  const shown = risks.length <= most + 1 ? risks : risks.slice(0, most);
  const rest = risks.slice(shown.length);
  const sign = paint(styles[level], '!');
  return [
    ...shown.map((risk) => `  ${sign} ${riskLine(label, risk, paint)}`),
    ...(rest.length > 0 ? [`  ${sign} ${label}: ${restText(group, rest)}${hint}`] : []),
  ];
}

function riskLine(label: string, { address, root, detail, place }: RiskView, paint: Paint): string {
  const where = place ? paint('dim', `${place.file}:${place.line}`) : '';
  const head = `${label}: ${address}`.padEnd(detailColumn - 2);
  return [head, root ?? '', detail, where]
    .filter((text) => text !== '')
    .join('  ')
    .trimEnd();
}
