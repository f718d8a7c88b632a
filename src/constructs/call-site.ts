import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IConstruct } from 'constructs';
import type { SourceLocation } from '../model/diagnostic.ts';
import { slashed } from '../model/files.ts';

/** A position in a file of the program: an absolute path, line and column from 1. */
interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Asked only when something is said about it: until then a call site costs a few return addresses. */
type CallSite = () => Position;

type Callee = ((...parameters: never[]) => unknown) | (abstract new (...parameters: never[]) => unknown);

/** Deeper than the default: a construct may stand below several of the user's own. */
const deepest = 50;
const own = fileURLToPath(new URL('.', import.meta.url));

/** Remembers who called a function, or who said `new` of a class. */
export function captureCallSite(callee: Callee): CallSite {
  const trace: { readonly stack?: string } = {};
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = deepest;
  Error.captureStackTrace(trace, callee);
  Error.stackTraceLimit = stackTraceLimit;
  let found: Position | undefined;
  return () => {
    found ??= originalPosition(callerIn(trace.stack ?? ''));
    return found;
  };
}

/** The nearest line of the user's own; one of a package only where there is nothing else. */
function callerIn(stack: string): Position {
  const positions = stack.split('\n').flatMap((line) => framePosition(line) ?? []);
  const outside = positions.filter(({ file }) => !file.startsWith(own));
  return (
    outside.find(({ file }) => !/[\\/]node_modules[\\/]/.test(file)) ??
    outside[0] ?? { file: process.argv[1] ?? 'program', line: 1, column: 1 }
  );
}

/** `at new Service (file:///app/main.js:12:5)`, `at async /app/main.js:12:5`. */
const frame = /^\s+at (?:.*? \()?(?:async )?(.+?):(\d+):(\d+)\)?$/;

function framePosition(text: string): Position | undefined {
  const [, file, line, column] = frame.exec(text) ?? [];
  if (file === undefined || file.startsWith('node:')) return undefined;
  return {
    file: file.startsWith('file:') ? fileURLToPath(file) : file,
    line: Number(line),
    column: Number(column),
  };
}

const sites = new WeakMap<IConstruct, CallSite>();

/** Remembers where a construct is made: the line with `new`, of its class or of one that extends it. */
export function markCallSite(construct: IConstruct, made: Callee): void {
  sites.set(construct, captureCallSite(made));
}

/** Where a construct was made; of one that is not Attune's own, where the nearest above it was. */
function callSiteOf(construct: IConstruct): CallSite {
  for (const scope of construct.node.scopes.toReversed()) {
    const site = sites.get(scope);
    if (site) return site;
  }
  return () => callerIn('');
}

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
function originalPosition(position: Position): Position {
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

/** Where a value comes from: a construct, and the line that it was given at. */
export interface Origin {
  readonly construct: IConstruct;
  readonly site: CallSite;
}

/** A value that was not given where the construct around it was made. */
export class PlacedValue<T> {
  readonly value: T;
  readonly origin: Origin;

  constructor(value: T, origin: Origin) {
    this.value = value;
    this.origin = origin;
  }
}

/** Where a construct was made. */
export function originOf(construct: IConstruct): Origin {
  return { construct, site: callSiteOf(construct) };
}

/** The place of an origin, from the working folder. */
export function locate({ construct, site }: Origin): SourceLocation {
  const { file, line, column } = site();
  return { file: slashed(relative(process.cwd(), file)), line, column, construct: construct.node.path };
}
