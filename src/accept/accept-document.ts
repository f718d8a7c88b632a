import type { Configuration } from '../desired/configuration.ts';
import type { Diagnostic, SourceLocation } from '../model/diagnostic.ts';
import { counted } from '../model/text.ts';
import { isRecord, type Value } from '../model/value.ts';
import { printedDiagnostic } from '../plan/plan-document.ts';
import { escapeControls } from '../report/escape-controls.ts';
import { valueText } from '../report/text/change-text.ts';
import type { Accepted } from './accept.ts';
import type { AcceptedField } from './acceptance.ts';

/** What an acceptance has written, for its report. */
export interface AcceptResult {
  readonly organization: string;
  readonly address: string;
  readonly accepted: Accepted;
  /** The configuration before the edits. */
  readonly former: Configuration;
  /** The workspaces that are declared now and were not. */
  readonly imported: readonly string[];
  /** The files that change, by path relative to the folder of the root file. */
  readonly files: readonly string[];
  readonly isDryRun: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

interface Line extends AcceptedField {
  readonly address: string;
  readonly location: SourceLocation | undefined;
}

function linesOf({ accepted, former }: AcceptResult): Line[] {
  const { acceptances, configuration } = accepted;
  return acceptances.flatMap(({ address, fields }) =>
    fields.map((field) => {
      const resource = configuration.desired.resources.get(address) ?? former.desired.resources.get(address);
      const location =
        resource?.declared?.locations?.[field.path] ??
        resource?.declared?.locations?.[field.path.split('.')[0] ?? ''] ??
        resource?.location;
      return { address, location, ...field };
    }),
  );
}

/** The document of `accept --format json`, `attune.accept/1`. */
export function acceptDocument(result: AcceptResult): Record<string, unknown> {
  const { organization, address, imported, files, isDryRun, diagnostics } = result;
  return {
    format: 'attune.accept/1',
    organization,
    address,
    dryRun: isDryRun,
    fields: linesOf(result).map(({ location, ...line }) => ({ ...line, ...(location && { location }) })),
    declared: imported,
    files,
    diagnostics: diagnostics.map(printedDiagnostic),
  };
}

/** The same for people. */
export function acceptText(result: AcceptResult, path: (file: string) => string): string {
  const { organization, address, imported } = result;
  const lines = linesOf(result);
  const head = `${organization}  ${address}\n\n`;
  if (lines.length + imported.length === 0) return `${head}Nothing to accept.\n`;
  const body: string[] = [];
  let last: string | undefined;
  for (const line of lines) {
    if (line.address !== last) body.push(`  ~ ${line.address}`);
    last = line.address;
    const place = line.location ? `  ${path(line.location.file)}:${line.location.line}` : '';
    body.push(`      ${fieldText(line).padEnd(44)}${place}`);
    if (line.overrides) {
      const { layer, location } = line.overrides;
      body.push(
        `        own value: ${layer} keeps ${shown(line.before)} for other workspaces (${path(location.file)}:${location.line})`,
      );
    }
  }
  for (const added of imported) body.push(`  + ${added}`);
  return `${head}${body.map(escapeControls).join('\n')}\n\n${acceptSummary(result)}\n`;
}

/** How much is accepted, in a sentence. */
export function acceptSummary(result: AcceptResult): string {
  const { imported, files, isDryRun } = result;
  const values = linesOf(result).length;
  const what = [
    ...(values > 0 ? [counted(values, 'accepted value')] : []),
    ...(imported.length > 0 ? [counted(imported.length, 'added workspace')] : []),
  ];
  return `${isDryRun ? 'Would change' : 'Changed'} ${counted(files.length, 'file')}: ${what.join(', ')}.`;
}

function fieldText({ path, before, after, add, remove }: AcceptedField): string {
  if (path === '')
    return after === null ? 'declaration removed: it is not live' : `${shown(before)} -> ${shown(after)}`;
  const entries = [...(add ?? []).map((entry) => `+${entry}`), ...(remove ?? []).map((entry) => `-${entry}`)];
  if (entries.length > 0) return `${path}: ${entries.join(' ')}`;
  return `${path}: ${shown(before)} -> ${shown(after)}`;
}

function shown(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`;
  if (!isRecord(value)) return valueText(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${key}: ${shown(inner as Value)}`)
    .join(', ')}}`;
}
