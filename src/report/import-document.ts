import { type AliasKind, aliasKindTable } from '../model/alias-kind.ts';
import type { ImportedFile, ImportResult } from '../model/import-result.ts';
import { counted } from '../model/text.ts';
import { printedDiagnostic } from '../plan/plan-document.ts';
import { escapeControls } from './escape-controls.ts';

/** The document of `import --format json`, `attune.import/1`. */
export function importDocument(result: ImportResult): Record<string, unknown> {
  const { organization, address, dialect, files, omittedWorkspaces, scope, copy, diagnostics } = result;
  const summary = { files: files.length, ...totals(files), leftOut: omittedWorkspaces };
  return {
    format: 'attune.import/1',
    organization,
    address,
    dialect,
    summary,
    ...(scope && { scope }),
    files,
    ...(copy && { copy }),
    diagnostics: diagnostics.map(printedDiagnostic),
  };
}

/** The text report of an import. */
export function importText(result: ImportResult): string {
  const { organization, address, files, omittedWorkspaces, scope, copy } = result;
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
  return `${organization}  ${address}\n\n${lines.join('\n')}\n\nImported: ${sum} in ${counted(files.length, 'file')}.${leftOut}\n${scope ? scopeText(scope) : ''}${copy ? copyText(copy) : ''}`;
}

/** What a copy still needs. */
function copyText({ organization, skeleton }: NonNullable<ImportResult['copy']>): string {
  const head = `The files are for ${organization}.`;
  return skeleton === undefined ? `${head}\n` : `${head} Names that it lacks, for a map:\n\n${skeleton}`;
}

/** What the scope of a new root file means. */
function scopeText(scope: NonNullable<ImportResult['scope']>): string {
  const parts = Object.entries(scope).map(([part, values]) => `${part} ${values.join(', ')}`);
  return `Scope: ${parts.join('; ')}. Drift reports workspaces in it that no file declares; nothing is deleted unless you set prune.\n`;
}

function totals(files: readonly ImportedFile[]): { workspaces: number; grants: number } {
  return {
    workspaces: files.reduce((sum, { workspaces }) => sum + workspaces, 0),
    grants: files.reduce((sum, { grants }) => sum + grants, 0),
  };
}

/** Names that cannot replace ids, as `import --check-names` prints them. */
export interface NamesCheck {
  readonly organization: string;
  readonly address: string;
  readonly ambiguous: readonly {
    readonly kind: AliasKind;
    readonly name?: string;
    readonly ids: readonly string[];
  }[];
  readonly unlisted: readonly AliasKind[];
}

export function namesCheckText({ organization, address, ambiguous, unlisted }: NamesCheck): string {
  const lines = ambiguous.map(({ kind, name, ids }) => {
    const shown = name === undefined ? 'without a name' : JSON.stringify(name);
    return `  ${escapeControls(`${aliasKindTable[kind].plural}  ${shown}  ${ids.join(', ')}`)}\n`;
  });
  const unique = unlisted.length === 0 ? 'Every name is unique.\n' : 'Every listed name is unique.\n';
  const listed = lines.length === 0 ? unique : lines.join('');
  const hidden = unlisted.map(
    (kind) => `${aliasKindTable[kind].plural}: unknown, this token cannot list them\n`,
  );
  return `${escapeControls(organization)}  ${escapeControls(address)}\n\n${listed}${hidden.join('')}`;
}
