import { sameAttribute } from '../diff/fields.ts';
import { bindingsFromDocument } from '../live/included.ts';
import { workspaceAttributes } from '../model/attribute-table.ts';
import { attributePaths, isRepositoryPath, projectPaths, variesByPlatform } from '../model/attributes.ts';
import { AttuneError } from '../model/diagnostic.ts';
import { bindingDifference } from '../model/list-rule.ts';
import type { Written } from '../model/plan.ts';
import { signedEntries } from '../model/text.ts';
import type { Values } from '../model/value.ts';
import type { ResourceObject } from '../service/documents.ts';
import { hasDetail, type ServiceError, withHint } from '../service/service-error.ts';
import type { PreparedCall } from './operations/operation.ts';

interface Named {
  readonly kind: 'project' | 'workspace';
  readonly attributes: Values;
}

/** Why a workspace or project that has the name of a create, whose answer was lost, was not created by it. */
export function nameConflict(
  { call: { method, path }, written }: Pick<PreparedCall, 'call' | 'written'>,
  found: ResourceObject,
  live: Named,
): AttuneError | undefined {
  const differences = [
    ...Object.values(differencesFromSent(written, live)),
    ...bindingsNotAsSent(written, found),
  ];
  if (differences.length === 0) return undefined;
  const message = `${method} ${path}: the response was lost, and ${live.kind} "${written.values.name}" differs from the request: ${differences.join('; ')}`;
  const hint = `plan again to manage the existing ${live.kind}, or choose another name for the new one`;
  return Object.assign(new AttuneError(message, { code: 'name-conflict', hint }), { method, path });
}

export function isTaken(error: unknown): error is ServiceError {
  return hasDetail(error, /already been taken/i);
}

export function nameTaken(error: ServiceError, kind: Named['kind']): ServiceError {
  return withHint(error, `plan again: the ${kind} was created after the plan, or this token may not see it`);
}

/**
 * How a resource differs from the one that a create sends, by paths. A value that was not sent is compared with its documented
 * default if all services share it; a value that the service does not return is not compared.
 */
export function differencesFromSent(
  { values: sent }: Written,
  { kind, attributes: live }: Named,
): Readonly<Record<string, string>> {
  const isSent = (path: string) => sent[path] !== undefined;
  const paths = {
    project: projectPaths.filter((path) => path !== 'name'),
    workspace: [
      ...['project'].filter(isSent),
      ...attributePaths.filter((path) => isSent(path) || hasFixedDefault(path)),
    ],
  };
  const differing = paths[kind].filter(
    (path) => live[path] !== undefined && !sameAttribute(path, sent[path], live[path]),
  );
  return Object.fromEntries(
    differing.map((path) => {
      const wasSent = isSent(path) ? `was sent as ${shown(sent[path])}` : 'was not sent';
      return [path, `${path} ${wasSent} and is ${shown(live[path])}`];
    }),
  );
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

function bindingsNotAsSent({ bindings: sent }: Written, found: ResourceObject): string[] {
  const own = bindingsFromDocument(found)?.own;
  if (sent === undefined || !('exactly' in sent) || own === undefined) return [];
  const { add, remove } = bindingDifference(sent.exactly, own);
  const differences = signedEntries(add, remove);
  return differences.length === 0 ? [] : [`tag-bindings differ (${differences.join(' ')})`];
}
