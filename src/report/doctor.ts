import { type Check, type CheckStatus, checkStatuses, type Diagnosis } from '../model/diagnosis.ts';
import { counted } from '../model/text.ts';
import { escapeControls } from './escape-controls.ts';
import type { Paint, Style } from './paint.ts';

const styles: Readonly<Record<CheckStatus, Style>> = {
  ok: 'green',
  failed: 'red',
  warning: 'yellow',
  skipped: 'dim',
};
const statusWidth = Math.max(...checkStatuses.map(({ length }) => length));

/** The diagnoses as text: a line per check, and one below it for what to do. */
export function doctorText(diagnoses: readonly Diagnosis[], paint: Paint): string {
  const checks = diagnoses.flatMap((diagnosis) => diagnosis.checks);
  const nameWidth = Math.max(...checks.map(({ check }) => check.length));
  const blocks = diagnoses.map(({ organization, file, checks: own }) => {
    const head = escapeControls([organization, file].filter(Boolean).join('  '));
    return [paint('bold', head), '', ...own.flatMap((check) => checkLines(check, nameWidth, paint)), ''];
  });
  const counts = checkStatuses.flatMap((status) => {
    const count = checks.filter((check) => check.status === status).length;
    return count > 0 ? `${count} ${status}` : [];
  });
  return [...blocks.flat(), `${counted(checks.length, 'check')}: ${counts.join(', ')}.`, ''].join('\n');
}

function checkLines({ check, status, evidence, fix }: Check, nameWidth: number, paint: Paint): string[] {
  const indent = ' '.repeat(2 + statusWidth + 2 + nameWidth + 2);
  const state = paint(styles[status], status.padEnd(statusWidth));
  return [
    `  ${state}  ${check.padEnd(nameWidth)}  ${escapeControls(evidence)}`,
    ...(fix === undefined ? [] : [`${indent}fix: ${escapeControls(fix)}`]),
  ];
}

/** The document of `doctor --format json`, `attune.doctor/1`. */
export function doctorDocument(diagnoses: readonly Diagnosis[]): Record<string, unknown> {
  return { format: 'attune.doctor/1', organizations: diagnoses };
}
