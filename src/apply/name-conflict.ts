import { sameAttribute } from '../diff/normalize.ts';
import { workspaceAttributes } from '../model/attribute-table.ts';
import { attributePaths, isRepositoryPath, variesByPlatform } from '../model/attributes.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Call, Written } from '../model/plan.ts';
import type { Values } from '../model/value.ts';
import type { ResourceObject } from '../service/documents.ts';
import { hasDetail, type ServiceError, withHint } from '../service/service-error.ts';
import { bindingsNotAsSent } from './operations/tag-bindings.ts';
import { answeredSettings } from './operations/workspace-settings.ts';

/** The answer to a create was lost, and the workspace or project that has its name was not created by it. */
export class NameConflictError extends AttuneError {
  override readonly name = 'NameConflictError';
  override readonly code = 'name-conflict';
  readonly method: string;
  readonly path: string;

  constructor(
    { method, path }: Call,
    { kind, name }: { readonly kind: 'project' | 'workspace'; readonly name: string },
    differences: readonly string[],
  ) {
    super(
      `${method} ${path}: the response was lost, and ${kind} "${name}" differs from the request: ${differences.join('; ')}`,
      { hint: `plan again to manage the existing ${kind}, or choose another name for the new one` },
    );
    this.method = method;
    this.path = path;
  }
}

export function nameConflict(
  { call, written }: { readonly call: Call; readonly written: Written },
  found: ResourceObject,
  dialect: Dialect,
): NameConflictError | undefined {
  const live = answeredSettings(found, dialect);
  const differences = [...differencesFromSent(written, live), ...bindingsNotAsSent(written, found)];
  return differences.length === 0
    ? undefined
    : new NameConflictError(call, { kind: 'workspace', name: String(live.name) }, differences);
}

export function isTaken(error: unknown): error is ServiceError {
  return hasDetail(error, /already been taken/i);
}

export function nameTaken(error: ServiceError, kind: 'project' | 'workspace'): ServiceError {
  return withHint(error, `plan again: the ${kind} was created after the plan, or this token may not see it`);
}

/**
 * How a workspace differs from the one that a create sends. A value that was not sent is compared with its documented
 * default if all services share it; a value that the service does not return is not compared.
 */
export function differencesFromSent({ values: sent }: Written, live: Values): string[] {
  const paths = attributePaths.filter((path) => sent[path] !== undefined || hasFixedDefault(path));
  return ['project', ...paths]
    .filter((path) => path !== 'project' || sent.project !== undefined)
    .filter((path) => live[path] !== undefined && !sameAttribute(path, sent[path], live[path]))
    .map((path) => {
      const wasSent = sent[path] === undefined ? 'was not sent' : `was sent as ${shown(sent[path])}`;
      return `${path} ${wasSent} and is ${shown(live[path])}`;
    });
}

/** An execution mode and a destroy time may be inherited, and the service chooses a version. */
export function hasFixedDefault(path: (typeof attributePaths)[number]): boolean {
  const spec = workspaceAttributes[path];
  if (spec.coupling === 'execution' || spec.coupling === 'scheduled-destroy') return false;
  if (spec.createOnly || spec.hostedOnly || variesByPlatform.has(path)) return false;
  return isRepositoryPath(path) || spec.nullable || spec.default !== null;
}

function shown(value: Values[string] | undefined): string {
  return value === undefined || value === null || value === '' ? '(none)' : JSON.stringify(value);
}
