import { printedDiagnostic } from '../apply/plan-document.ts';
import type { ImportedFile, ImportResult } from '../model/import-result.ts';
import { counted } from '../model/text.ts';

/** The document of `import --format json`, `attune.import/1`. */
export function importDocument(result: ImportResult): Record<string, unknown> {
  const { organization, address, dialect, files, omittedWorkspaces, scope, diagnostics } = result;
  const summary = { files: files.length, ...totals(files), leftOut: omittedWorkspaces };
  return {
    format: 'attune.import/1',
    organization,
    address,
    dialect,
    summary,
    ...(scope && { scope }),
    files,
    diagnostics: diagnostics.map(printedDiagnostic),
  };
}

/** The text report of an import. */
export function importText(result: ImportResult): string {
  const { organization, address, files, omittedWorkspaces, scope } = result;
  const width = Math.max(...files.map(({ file }) => file.length), 0);
  const lines = files.map(({ file, outcome, ...counts }) => {
    const parts = [
      counts.workspaces > 0 && counted(counts.workspaces, 'workspace'),
      counts.grants > 0 && counted(counts.grants, 'grant'),
    ];
    const content = parts.filter(Boolean).join(', ');
    return `  ${file.padEnd(width)}  ${outcome.padEnd(11)}  ${content}`.trimEnd();
  });
  const leftOut = omittedWorkspaces === 0 ? '' : ` Left out: ${counted(omittedWorkspaces, 'workspace')}.`;
  if (files.length === 0) {
    const outcome = leftOut === '' ? 'All files are up to date.' : `No declarations were added.${leftOut}`;
    return `${organization}  ${address}\n\n${outcome}\n`;
  }
  const { workspaces, grants } = totals(files);
  const sum = `${counted(workspaces, 'workspace')} and ${counted(grants, 'grant')}`;
  return `${organization}  ${address}\n\n${lines.join('\n')}\n\nImported: ${sum} in ${counted(files.length, 'file')}.${leftOut}\n${scope ? scopeText(scope) : ''}`;
}

/** What the scope of a new root file means. */
function scopeText(scope: NonNullable<ImportResult['scope']>): string {
  const parts = Object.entries(scope).map(([part, values]) => `${part} ${values.join(', ')}`);
  const isAll = parts.length === 1 && parts[0] === 'names *';
  const where = isAll ? 'of the organization' : `in the scope (${parts.join('; ')})`;
  return `From now on, drift reports workspaces ${where} that no file declares. They are deleted only if you set prune.\n`;
}

function totals(files: readonly ImportedFile[]): { workspaces: number; grants: number } {
  return {
    workspaces: files.reduce((sum, { workspaces }) => sum + workspaces, 0),
    grants: files.reduce((sum, { grants }) => sum + grants, 0),
  };
}
