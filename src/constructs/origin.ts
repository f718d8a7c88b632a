import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IConstruct } from 'constructs';
import { AttuneError, type SourceLocation } from '../model/diagnostic.ts';
import { slashed } from '../model/files.ts';

/** Resolved only for a diagnostic: until then a call site costs a few return addresses. */
type CallSite = () => SourceLocation;

type Callee = ((...parameters: never[]) => unknown) | (abstract new (...parameters: never[]) => unknown);

/** Deeper than the default, because the user's own constructs may create Attune's. */
const deepest = 50;
const own = fileURLToPath(new URL('.', import.meta.url));

export function captureCallSite(callee: Callee): CallSite {
  const trace: { readonly stack?: string } = {};
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = deepest;
  Error.captureStackTrace(trace, callee);
  Error.stackTraceLimit = stackTraceLimit;
  let found: SourceLocation | undefined;
  return () => {
    found ??= callerIn(trace.stack ?? '');
    return found;
  };
}

/**
 * The nearest line outside of packages; the nearest line of a package if there is no other. Of compiled TypeScript, it is
 * that of the source under `--enable-source-maps`, which a running program cannot enable for itself in time.
 */
function callerIn(stack: string): SourceLocation {
  const positions = stack.split('\n').flatMap((line) => framePosition(line) ?? []);
  const outside = positions.filter(({ file }) => !file.startsWith(own));
  return (
    outside.find(({ file }) => !/[\\/]node_modules[\\/]/.test(file)) ??
    outside[0] ?? { file: process.argv[1] ?? 'program', line: 1, column: 1 }
  );
}

/** `at new Service (file:///app/main.js:12:5)`, `at async /app/main.js:12:5`. */
const frame = /^\s+at (?=.*:\d+:\d+\)?$)(?:.*? \()?(?:async )?(.+?):(\d+):(\d+)\)?$/;

function framePosition(text: string): SourceLocation | undefined {
  const [, file, line, column] = frame.exec(text) ?? [];
  if (file === undefined || file.startsWith('node:')) return undefined;
  return {
    file: file.startsWith('file:') ? fileURLToPath(file) : file,
    line: Number(line),
    column: Number(column),
  };
}

const sites = new WeakMap<IConstruct, CallSite>();

/** Records where a construct is created: the line with `new` of its class or of a subclass. */
export function markCallSite(construct: IConstruct, made: Callee): void {
  sites.set(construct, captureCallSite(made));
}

/** Where a construct was created; for a construct of another library, where its nearest ancestor of Attune was. */
function callSiteOf(construct: IConstruct): CallSite {
  for (const scope of construct.node.scopes.toReversed()) {
    const site = sites.get(scope);
    if (site) return site;
  }
  return () => callerIn('');
}

export interface ValueOrigin {
  readonly construct: IConstruct;
  readonly site: CallSite;
}

/** A value that was set elsewhere than at the creation of its construct. */
export class PlacedValue<T> {
  readonly value: T;
  readonly origin: ValueOrigin;

  constructor(value: T, origin: ValueOrigin) {
    this.value = value;
    this.origin = origin;
  }
}

export function originOf(construct: IConstruct): ValueOrigin {
  return { construct, site: callSiteOf(construct) };
}

export function locate({ construct, site }: ValueOrigin): SourceLocation {
  const { file, line, column } = site();
  return { file: slashed(relative(process.cwd(), file)), line, column, construct: construct.node.path };
}

/** The organizations. Their class is not imported here, because its module imports this one. */
const organizations = new WeakSet<IConstruct>();

export function markOrganization(construct: IConstruct): void {
  organizations.add(construct);
}

export function organizationScope(construct: IConstruct): IConstruct {
  const found = construct.node.scopes.find((scope) => organizations.has(scope));
  if (found) return found;
  throw new AttuneError(`${construct.node.path} is not inside an organization`, {
    code: 'wrong-scope',
    hint: 'use an Organization, or a construct inside one, as its scope',
  });
}

/** The default name of a construct: the ids on the path from its organization. */
export function defaultName(construct: IConstruct): string {
  const { scopes } = construct.node;
  const inside = scopes.slice(scopes.indexOf(organizationScope(construct)) + 1);
  return inside.map(({ node }) => node.id).join('-');
}
