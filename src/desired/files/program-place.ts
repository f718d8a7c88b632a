import { dirname, relative, resolve } from 'node:path';
import type { SourceLocation } from '../../model/diagnostic.ts';
import { slashed } from '../../model/files.ts';

/**
 * A place in a program as a synthesized file writes it: `../src/main.ts:12:5 acme/prod/network`. One word a place: a
 * thousand workspaces have thousands of them.
 */
export function printPlace({ file, line, column, construct }: SourceLocation): string {
  return `${file}:${line}:${column}${construct === undefined ? '' : ` ${construct}`}`;
}

/** Undefined for what is no such place. */
export function parsePlace(text: unknown): SourceLocation | undefined {
  const match = typeof text === 'string' && /^(.+?):(\d+):(\d+)(?: (.*))?$/s.exec(text);
  if (!match) return undefined;
  const [, file = '', line, column, construct] = match;
  return { file, line: Number(line), column: Number(column), ...(construct !== undefined && { construct }) };
}

/** A place relative to one file, as a place relative to a folder. */
export function movePlace(place: SourceLocation, from: string, folder: string): SourceLocation {
  return { ...place, file: slashed(relative(folder, resolve(dirname(from), place.file))) };
}
