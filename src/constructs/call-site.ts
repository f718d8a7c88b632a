import { fileURLToPath } from 'node:url';
import type { IConstruct } from 'constructs';
import { originalPosition } from './source-map.ts';

/** A position in a file of the program: an absolute path, line and column from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Asked only when something is said about it: until then a call site costs a few return addresses. */
export type CallSite = () => Position;

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
export function callSiteOf(construct: IConstruct): CallSite {
  for (const scope of construct.node.scopes.toReversed()) {
    const site = sites.get(scope);
    if (site) return site;
  }
  return () => callerIn('');
}
