import { parse } from 'yaml';
import { nestedAttributes } from '../model/attributes.ts';
import { isRecord, type Value } from '../model/value.ts';
import type { Layer } from './layer.ts';
import { type StatementPath, statementPaths } from './statement.ts';

/** What an import has to know of a root file that is there, beside what it declares. */
export interface RootParts {
  readonly include: readonly string[];
  /** What is said of every workspace, as it is written. */
  readonly defaults: Layer;
}

/** Reads a root file that was loaded, and therefore is right. */
export function readRoot(text: string): RootParts {
  const data: unknown = parse(text, {
    version: '1.2',
    schema: 'core',
    merge: true,
    maxAliasCount: -1,
    logLevel: 'silent',
  });
  const { include, defaults } = (isRecord(data) ? data : {}) as Readonly<Record<string, unknown>>;
  return {
    include: Array.isArray(include) ? include.map(String) : [],
    defaults: layerOf(isRecord(defaults) ? defaults.workspace : undefined),
  };
}

function layerOf(written: unknown): Layer {
  if (!isRecord(written)) return new Map();
  const isKnown = (path: string): path is StatementPath => statementPaths.some((known) => known === path);
  const pairs = Object.entries(written).flatMap(([key, value]): [string, unknown][] =>
    nestedAttributes.some((name) => name === key) && isRecord(value)
      ? Object.entries(value).map(([inner, held]) => [`${key}.${inner}`, held])
      : [[key, value]],
  );
  return new Map(pairs.flatMap(([path, value]) => (isKnown(path) ? [[path, value as Value] as const] : [])));
}
