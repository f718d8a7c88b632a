import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { type Console, createConsole, diagnosticsDocument } from './console.ts';
import type { CommonFlags } from './flags.ts';
import { type Io, maskSecrets } from './io.ts';
import { createProgress, type Progress } from './progress.ts';

/** What a run of a command has at hand. */
export interface Session {
  readonly io: Io;
  readonly flags: CommonFlags;
  readonly console: Console;
  readonly progress: Progress;
  /** Tokens, masked in everything that is written from the moment they are known. */
  readonly secrets: Set<string>;
}

export function createSession(bareIo: Io, flags: CommonFlags): Session {
  const secrets = new Set<string>();
  const io = maskSecrets(bareIo, secrets);
  return {
    io,
    flags,
    secrets,
    console: createConsole(io, flags),
    progress: createProgress(io, flags, io.clock.now),
  };
}

/** Diagnostics whose locations are relative to a folder. */
export interface FolderDiagnostics {
  readonly folder: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Prints files' diagnostics beside the result, with paths that can be opened from the working folder. */
export function tell(session: Session, { folder, diagnostics }: FolderDiagnostics): void {
  const shown = diagnostics.map((diagnostic) => withSourceLine(folder, diagnostic));
  session.console.diagnostics(shown, shownFrom(session.io.cwd, folder));
}

/** What the reads found wrong points into the files too; the line is fetched for the few that are printed. */
function withSourceLine(folder: string, diagnostic: Diagnostic): Diagnostic {
  const { location, sourceLine } = diagnostic;
  if (location === undefined || sourceLine !== undefined) return diagnostic;
  try {
    const line = readFileSync(join(folder, location.file), 'utf8').split(/\r?\n/)[location.line - 1];
    return line === undefined ? diagnostic : { ...diagnostic, sourceLine: line };
  } catch {
    return diagnostic;
  }
}

/** Ends a run that has nothing else to show: the reasons, in the format that was asked for, and exit code 1. */
export function refuse(session: Session, all: readonly FolderDiagnostics[]): number {
  session.progress.end();
  const { console, flags } = session;
  if (flags.format === 'json')
    console.document(diagnosticsDocument(all.flatMap(({ diagnostics }) => diagnostics)));
  else for (const one of all) tell(session, one);
  return all.some(({ diagnostics }) => hasErrors(diagnostics)) ? 1 : 0;
}

export function shownFrom(cwd: string, folder: string): (file: string) => string {
  const prefix = relative(cwd, folder).split(sep).join('/');
  return (file) => (prefix === '' || file.startsWith('/') ? file : `${prefix}/${file}`);
}
