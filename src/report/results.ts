import { createTwoFilesPatch } from 'diff';
import { printedDiagnostic } from '../apply/plan-document.ts';
import type { Action } from '../model/change.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import type {
  AcceptedField,
  AcceptResult,
  EditedFile,
  ImportedFile,
  ImportResult,
} from '../model/results.ts';
import { counted, signedEntries } from '../model/text.ts';
import { groupBy, isRecord, type Value } from '../model/value.ts';
import { escapeControls, escapeTexts } from './escape-controls.ts';
import { alignedRows, type Paint, paintedPatch, plain, type Style } from './paint.ts';
import { flowText } from './values.ts';
import { lineWith, placeText } from './words.ts';

/** The results of a check. A warning needs attention, and does not fail the command. */
const checkStatuses = ['ok', 'failed', 'warning', 'skipped'] as const;
type CheckStatus = (typeof checkStatuses)[number];

interface CheckResult {
  readonly check: string;
  readonly status: CheckStatus;
  readonly evidence: string;
  readonly fix?: string | undefined;
}

export interface Diagnosis {
  readonly organization?: string | undefined;
  readonly file: string;
  readonly checks: readonly CheckResult[];
}

/* The results of accept, import, doctor and undo --list: the document of `--format json`, and the same for people. */

export function acceptDocument(result: AcceptResult): Record<string, unknown> {
  const { folder: _folder, isDryRun: dryRun, ...others } = result;
  const files = result.files.map(({ file }) => file);
  const diagnostics = result.diagnostics.map(printedDiagnostic);
  return { format: 'attune.accept/1', ...others, dryRun, files, diagnostics };
}

export function acceptText(result: AcceptResult, path: (file: string) => string): string {
  const { fields, declared, exceptions = [] } = result;
  const placeOf = (location: SourceLocation) => placeText({ ...location, file: path(location.file) });
  const placed = (text: string, location: SourceLocation | undefined) =>
    lineWith(text, [location && placeOf(location)], 44);
  const kept = ({ layer, location }: NonNullable<AcceptedField['overrides']>, value: Value) =>
    `  own value: ${layer} keeps ${flowText(value)} for other workspaces (${placeOf(location)})`;
  const lines = [
    ...fields.map(({ address, location, overrides, ...field }) => ({
      sign: '~',
      address,
      lines: [placed(fieldText(field), location), ...(overrides ? [kept(overrides, field.before)] : [])],
    })),
    ...exceptions.map(({ address, field, value, until, reason, location }) => ({
      sign: '=',
      address,
      lines: [placed(`${field}: ${flowText(value)} until ${until} (${reason})`, location)],
    })),
    ...declared.map((address) => ({ sign: '+', address, lines: [] })),
  ];
  const blocks = [...groupBy(lines, ({ address }) => address)].flatMap(([address, same]) => [
    `  ${same[0]?.sign} ${address}`,
    ...same.flatMap((one) => one.lines.map((line) => `      ${line}`)),
  ]);
  if (blocks.length === 0) return headed(result, ['Nothing to accept.']);
  return headed(result, [...blocks, '', acceptSummary(result)]);
}

export function acceptSummary({ fields, declared, exceptions = [], files, isDryRun }: AcceptResult): string {
  const counts = [
    [fields.length, 'accepted value'],
    [exceptions.length, 'exception'],
    [declared.length, 'added resource'],
  ] as const;
  const what = counts.flatMap(([count, noun]) => (count > 0 ? counted(count, noun) : []));
  return `${isDryRun ? 'Would change' : 'Changed'} ${counted(files.length, 'file')}: ${what.join(', ')}.`;
}

function fieldText({ path, before, after, add, remove }: AcceptedField): string {
  if (path === '' && after === null) return 'declaration removed: it is not live';
  const entries = signedEntries(add, remove);
  const declared = [isRecord(before) ? Object.values(before) : before].flat(2);
  if (Array.isArray(after) && declared.some(isRecord))
    entries.push(`(${counted(after.length, 'name')} instead of ${flowText(before)})`);
  const text = entries.length > 0 ? entries.join(' ') : `${flowText(before)} -> ${flowText(after)}`;
  return path === '' ? text : `${path}: ${text}`;
}

/**
 * The changes of the files, for `git apply` as well if they have no control characters. Below a line `diff --git`, it would take paths from the top of the
 * repository, and need the mode of a new file.
 */
export function unifiedDiff(
  files: readonly EditedFile[],
  { paint = plain, path }: { readonly paint?: Paint; readonly path: (file: string) => string },
): string {
  return files
    .map(({ file, before, after }) => {
      const name = path(file);
      const names = [before === undefined ? '/dev/null' : `a/${name}`, `b/${name}`] as const;
      const patch = createTwoFilesPatch(...names, before ?? '', after, undefined, undefined, { context: 3 });
      const [, ...lines] = patch.replace(/\n$/, '').split('\n');
      const shown = lines.map((line) => line.replaceAll(/[^\t\r]+/g, escapeControls));
      return shown.map((line) => `${paintedPatch(line, paint)}\n`).join('');
    })
    .join('');
}

function headed(
  { organization, address }: Pick<ImportResult, 'organization' | 'address'>,
  lines: readonly string[],
) {
  const all = [`${organization}  ${address}`, '', ...lines];
  return all.map((line) => `${escapeControls(line)}\n`).join('');
}

export function importDocument(result: ImportResult): Record<string, unknown> {
  const { omittedWorkspaces: leftOut, planCommand: _planCommand, ...others } = result;
  const summary = { files: result.files.length, ...totals(result.files), leftOut };
  const diagnostics = result.diagnostics.map(printedDiagnostic);
  return { format: 'attune.import/1', ...others, summary, diagnostics };
}

export function importText(result: ImportResult): string {
  const { files, schema, omittedWorkspaces, scope } = result;
  const leftOut = omittedWorkspaces === 0 ? '' : ` Left out: ${counted(omittedWorkspaces, 'workspace')}.`;
  if (files.length === 0)
    return headed(result, [
      leftOut === '' ? 'All files are up to date.' : `No declarations were added.${leftOut}`,
    ]);
  const rows = files.map(({ file, outcome, ...counts }) => {
    const shown = importedKinds.flatMap(([kind, noun]) => (counts[kind] ? counted(counts[kind], noun) : []));
    return [`  ${file}`, outcome.padEnd(11), shown.join(', ')];
  });
  const { workspaces, grants, projects = 0 } = totals(files);
  const managed = projects > 0 ? `, ${counted(projects, 'managed project')}` : '';
  const sum = `${counted(workspaces, 'workspace')}${managed} and ${counted(grants, 'grant')}`;
  const lines = [
    alignedRows(rows),
    schema === undefined ? [] : `  ${schema}  created      schema for editors`,
    '',
    `Imported: ${sum} in ${counted(files.length, 'file')}.${leftOut}`,
    scope
      ? 'From now on, drift reports workspaces in the scope that no file declares. They are deleted only if you set prune.'
      : [],
  ];
  return headed(result, lines.flat());
}

const importedKinds = [
  ['workspaces', 'workspace'],
  ['projects', 'managed project'],
  ['grants', 'grant'],
] as const;

function totals(files: readonly ImportedFile[]): Pick<ImportedFile, (typeof importedKinds)[number][0]> {
  const total = (kind: (typeof importedKinds)[number][0]) =>
    files.reduce((sum, one) => sum + (one[kind] ?? 0), 0);
  const projects = total('projects');
  return { workspaces: total('workspaces'), grants: total('grants'), ...(projects > 0 && { projects }) };
}

const statusStyles: Readonly<Record<CheckStatus, Style>> = {
  ok: 'green',
  failed: 'red',
  warning: 'yellow',
  skipped: 'dim',
};

const statusWidth = Math.max(...checkStatuses.map(({ length }) => length));

export function doctorText(diagnoses: readonly Diagnosis[], paint: Paint): string {
  const checks = diagnoses.flatMap((diagnosis) => diagnosis.checks);
  const blocks = diagnoses.flatMap(({ organization, file, checks: own }) => {
    const rows = own.flatMap(({ status, check, evidence, fix }) => [
      [status.padEnd(statusWidth), check, escapeControls(evidence)],
      ...(fix === undefined ? [] : [['', '', `fix: ${escapeControls(fix)}`]]),
    ]);
    const styled = (text: string, column: number) =>
      column > 0 || text === '' ? text : paint(statusStyles[text.trim() as CheckStatus], text);
    const lines = alignedRows(rows, undefined, styled).map((line) => `  ${line}`);
    return [paint('bold', escapeControls([organization, file].filter(Boolean).join('  '))), '', ...lines, ''];
  });
  const counts = checkStatuses.flatMap((status) => {
    const count = checks.filter((check) => check.status === status).length;
    return count > 0 ? `${count} ${status}` : [];
  });
  return [...blocks, `${counted(checks.length, 'check')}: ${counts.join(', ')}.`, ''].join('\n');
}

export interface ListedJournal {
  /** Relative to the working folder, with `/`. */
  readonly file: string;
  readonly at: string;
  readonly organization: string;
  /** Absent if the journal cannot be read. */
  readonly address?: string;
  /** The changes that are done by action, and the others by result; absent if the journal cannot be read. */
  readonly changes?: Readonly<Record<Action | 'partial' | 'failed' | 'skipped', number>>;
  readonly complete: boolean;
  readonly reason?: string | undefined;
  readonly undoes?: string | undefined;
  /** Whether its run left changes of that journal as they are. */
  readonly undoesPart?: true | undefined;
  /** The command that undoes it; absent if it cannot be read. */
  readonly command?: string;
}

export function journalsText(journals: readonly ListedJournal[], paint: Paint): string {
  const rows = journals.map((one) =>
    escapeTexts([one.at.replace(/\.\d+Z$/, 'Z'), one.organization, factsOf(one)]),
  );
  const bold = (text: string, column: number) => (column === 0 ? paint('bold', text) : text);
  const lines = alignedRows(rows, undefined, bold);
  return journals
    .map(({ command, file }, index) => `${lines[index]}\n  ${escapeControls(command ?? file)}\n`)
    .join('');
}

function factsOf({ changes, complete, reason, undoes, undoesPart }: ListedJournal): string {
  const counts = changes && [
    `${changes.create} created, ${changes.update} updated, ${changes.delete} deleted`,
    changes.partial > 0 ? `${changes.partial} partial` : '',
    changes.failed > 0 ? `${changes.failed} failed` : '',
    changes.skipped > 0 ? `${changes.skipped} skipped` : '',
  ];
  const facts = [
    counts?.filter(Boolean).join(', '),
    complete ? 'complete' : `incomplete: ${reason}`,
    undoes && `undo of ${undoesPart ? 'a part of ' : ''}${undoes}`,
  ];
  return facts.filter(Boolean).join('; ');
}
