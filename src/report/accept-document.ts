import { createTwoFilesPatch } from 'diff';
import { printedDiagnostic } from '../apply/plan-document.ts';
import type { AcceptedField, AcceptResult, EditedFile } from '../model/accept-result.ts';
import { counted, signedEntries } from '../model/text.ts';
import { escapeControls } from './escape-controls.ts';
import { type Paint, paintedPatch, plain } from './paint.ts';
import { flowText } from './text/change-text.ts';

/** The document of `accept --format json`, `attune.accept/1`. */
export function acceptDocument(result: AcceptResult): Record<string, unknown> {
  const { organization, address, fields, declared, exceptions, files, isDryRun, diagnostics } = result;
  return {
    format: 'attune.accept/1',
    organization,
    address,
    dryRun: isDryRun,
    fields,
    declared,
    ...(exceptions && { exceptions }),
    files: files.map(({ file }) => file),
    diagnostics: diagnostics.map(printedDiagnostic),
  };
}

/** The same for people. */
export function acceptText(result: AcceptResult, path: (file: string) => string): string {
  const { organization, address, fields, declared, exceptions = [] } = result;
  const head = `${organization}  ${address}\n\n`;
  if (fields.length + declared.length + exceptions.length === 0) return `${head}Nothing to accept.\n`;
  const body: string[] = [];
  let last: string | undefined;
  for (const line of fields) {
    if (line.address !== last) body.push(`  ~ ${line.address}`);
    last = line.address;
    const place = line.location ? `  ${path(line.location.file)}:${line.location.line}` : '';
    body.push(`      ${fieldText(line).padEnd(44)}${place}`);
    if (line.overrides) {
      const { layer, location } = line.overrides;
      body.push(
        `        own value: ${layer} keeps ${flowText(line.before)} for other workspaces (${path(location.file)}:${location.line})`,
      );
    }
  }
  for (const { address: excepted, field, value, until, reason, location } of exceptions) {
    const place = location ? `  ${path(location.file)}:${location.line}` : '';
    if (excepted !== last) body.push(`  = ${excepted}`);
    last = excepted;
    body.push(`      ${`${field}: ${flowText(value)} until ${until} (${reason})`.padEnd(44)}${place}`);
  }
  for (const added of declared) body.push(`  + ${added}`);
  return `${head}${body.map(escapeControls).join('\n')}\n\n${acceptSummary(result)}\n`;
}

/** How much is accepted, in a sentence. */
export function acceptSummary(result: AcceptResult): string {
  const { fields, declared, exceptions = [], files, isDryRun } = result;
  const what = [
    ...(fields.length > 0 ? [counted(fields.length, 'accepted value')] : []),
    ...(exceptions.length > 0 ? [counted(exceptions.length, 'exception')] : []),
    ...(declared.length > 0 ? [counted(declared.length, 'added resource')] : []),
  ];
  return `${isDryRun ? 'Would change' : 'Changed'} ${counted(files.length, 'file')}: ${what.join(', ')}.`;
}

function fieldText({ path, before, after, add, remove }: AcceptedField): string {
  if (path === '')
    return after === null
      ? 'declaration removed: it is not live'
      : `${flowText(before)} -> ${flowText(after)}`;
  const entries = signedEntries(add, remove);
  if (entries.length > 0) return `${path}: ${entries.join(' ')}`;
  return `${path}: ${flowText(before)} -> ${flowText(after)}`;
}

/**
 * The changes of the files, for `git apply` as well. Below a line `diff --git`, it would take paths from the top of the
 * repository, and need the mode of a new file.
 */
export function unifiedDiff(
  files: readonly EditedFile[],
  { paint = plain, path }: { readonly paint?: Paint; readonly path: (file: string) => string },
): string {
  return files
    .map(({ file, before, after }) => {
      const name = path(file);
      const patch = createTwoFilesPatch(
        before === undefined ? '/dev/null' : `a/${name}`,
        `b/${name}`,
        before ?? '',
        after,
        undefined,
        undefined,
        { context: 3 },
      );
      const [, ...lines] = patch.replace(/\n$/, '').split('\n');
      return lines.map((line) => `${paintedPatch(line, paint)}\n`).join('');
    })
    .join('');
}
