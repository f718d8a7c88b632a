import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AttuneError, type SourceLocation } from '../../model/diagnostic.ts';
import { movedLocation } from '../../model/files.ts';
import { pointerStep } from '../../model/json-schema.ts';
import { isRecord } from '../../model/value.ts';
import { type Loading, reporter } from '../problems.ts';
import type { RawFile } from '../schema/language.ts';
import { keyOffsets, type Source } from './source.ts';

/*
 * A file that a program wrote with `attune/constructs` is a root file with one more section: `synthesized`. It contains
 * the place in the program that made each part of the file, so that diagnostics point there, and the problems that the
 * program found.
 */

export const outdirVariable = 'ATTUNE_OUTDIR';

const extension = '.yaml';

export function synthesizedName(organization: string): string {
  return `${encodeURIComponent(organization)}${extension}`;
}

export function synthesizedOrganization(name: string): string {
  return decodeURIComponent(name.slice(0, -extension.length));
}

/** The files that a program wrote, by name. Each belongs to one organization and is used by the first root file of it. */
export type SynthesizedFiles = Map<string, string>;

export async function synthesizedFiles(folder: string | undefined): Promise<SynthesizedFiles> {
  if (folder === undefined) return new Map();
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith(extension)).sort();
    return new Map(names.map((name) => [name, join(folder, name)]));
  } catch (cause) {
    // Resources that are not read must not look undeclared.
    throw new AttuneError(`cannot read ${folder}: ${(cause as Error).message}`, {
      code: 'file-unreadable',
      hint: 'use the folder that app.synth() wrote',
      cause,
    });
  }
}

export function takeSynthesized(files: SynthesizedFiles, organization: string): string | undefined {
  const name = synthesizedName(organization);
  const file = files.get(name);
  files.delete(name);
  return file;
}

type Mapping = Readonly<Record<string, unknown>>;

export function isSynthesized(data: Mapping): boolean {
  return Object.hasOwn(data, 'synthesized');
}

interface SynthesizedContext {
  readonly source: Source;
  readonly path: string;
  readonly folder: string;
  readonly loading: Loading;
}

/**
 * Replaces the location of every part of a synthesized file by the place in the program: that of the nearest JSON pointer
 * at or above it.
 */
export function placeInProgram(data: Mapping, context: SynthesizedContext): void {
  const { source, loading } = context;
  const places = placesOf(data, context);
  const put = (offset: number, place: SourceLocation | undefined) => {
    if (place) source.places.set(offset, place);
  };
  // From the outside in: a mapping and its first key start at one offset, and the place of the key is more exact.
  const walk = (value: unknown, pointer: string, place: SourceLocation | undefined): void => {
    const origin = loading.origins.get(value);
    if (!origin) return;
    put(origin.start, place);
    for (const key of origin.names?.keys() ?? Object.keys(value as readonly unknown[])) {
      const inner = `${pointer}/${pointerStep(key)}`;
      if (inner === '/synthesized') continue;
      const there = places.get(inner) ?? place;
      const offsets = origin.names ? keyOffsets(origin, key) : [origin.offsets[Number(key)] ?? 0];
      for (const offset of offsets) put(offset, there);
      walk((value as Mapping)[key], inner, there);
    }
  };
  walk(data, '', places.get(''));
}

export function readSynthesized(file: RawFile, { path, folder, loading }: SynthesizedContext): void {
  for (const { code, message, hint, place } of file.synthesized?.problems ?? []) {
    const parsed = parsePlace(place);
    // Values that the schema removed are reported already.
    if (code !== undefined && message !== undefined && parsed)
      reporter(loading).error(code, message, movedLocation(parsed, dirname(path), folder), hint);
  }
  const { service } = file;
  // The folder of the configuration is not always that of the file.
  for (const key of ['data', 'seed'] as const)
    if (service?.[key] !== undefined)
      (service as { [K in typeof key]?: string })[key] = resolve(dirname(path), service[key]);
}

/** Called before the schema check, so that its errors already point into the program. */
function placesOf(data: Mapping, { path, folder }: SynthesizedContext): Map<string, SourceLocation> {
  const places = isRecord(data.synthesized) ? data.synthesized.places : undefined;
  return new Map(
    Object.entries(isRecord(places) ? places : {}).flatMap(([pointer, text]) => {
      const place = parsePlace(text);
      return place ? [[pointer, movedLocation(place, dirname(path), folder)] as const] : [];
    }),
  );
}

/**
 * A place in a program as a synthesized file writes it: `../src/main.ts:12:5 acme/prod/network`. One word a place: a
 * thousand workspaces have thousands of them.
 */
export function printPlace({ file, line, column, construct }: SourceLocation): string {
  return `${file}:${line}:${column}${construct === undefined ? '' : ` ${construct}`}`;
}

function parsePlace(text: unknown): SourceLocation | undefined {
  const match = typeof text === 'string' && /^(.+?):(\d+):(\d+)(?: (.*))?$/s.exec(text);
  if (!match) return undefined;
  const [, file = '', line, column, construct] = match;
  return { file, line: Number(line), column: Number(column), construct };
}
