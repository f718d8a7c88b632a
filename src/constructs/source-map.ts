import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Position } from './call-site.ts';

interface LoadedMap {
  readonly map: SourceMap;
  /** What its sources are relative to. */
  readonly folder: string;
}

const maps = new Map<string, LoadedMap | undefined>();

/**
 * The line of TypeScript that a line of JavaScript was compiled from, where the compiler left a source map. Node does
 * the same with `--enable-source-maps`, which a program has no way to switch on for itself in time.
 */
export function originalPosition(position: Position): Position {
  const { file, line, column } = position;
  if (!/\.[cm]?js$/.test(file)) return position;
  if (!maps.has(file)) maps.set(file, loadMap(file));
  const loaded = maps.get(file);
  const entry = loaded?.map.findEntry(line - 1, column - 1);
  if (!loaded || !entry || !('originalSource' in entry) || /^(?!file:)\w+:\/\//.test(entry.originalSource))
    return position;
  const { originalSource: source, originalLine, originalColumn } = entry;
  return {
    file: source.startsWith('file:') ? fileURLToPath(source) : resolve(loaded.folder, source),
    line: originalLine + 1,
    column: originalColumn + 1,
  };
}

/** Undefined where there is none, or none that can be read: the JavaScript has to do then. */
function loadMap(file: string): LoadedMap | undefined {
  try {
    const url =
      readFileSync(file, 'utf8')
        .match(/(?<=^\/\/# sourceMappingURL=)\S+/gm)
        ?.at(-1) ?? '';
    const [, inline] = /^data:application\/json[^,]*;base64,(.*)$/.exec(url) ?? [];
    const path = inline === undefined ? resolve(dirname(file), url) : file;
    const text = inline === undefined ? readFileSync(path, 'utf8') : Buffer.from(inline, 'base64').toString();
    const payload = JSON.parse(text) as SourceMapPayload;
    return { map: new SourceMap(payload), folder: resolve(dirname(path), payload.sourceRoot ?? '') };
  } catch {
    return undefined;
  }
}
