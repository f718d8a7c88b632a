import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts';
import type { Resource } from '../../model/state.ts';
import { isRecord } from '../../model/value.ts';
import { entryOf } from '../emit.ts';
import { RefusedError } from '../run-errors.ts';
import type { Session } from '../session.ts';
import type { Target } from './target.ts';

/**
 * Prints what the files declare otherwise.
 *
 * @throws {RefusedError} if there is an error among it.
 */
export function reportDeclared(
  diagnostics: readonly Diagnostic[],
  { configuration }: Target,
  session: Session,
): void {
  const entry = entryOf(session, configuration.folder, { diagnostics });
  if (hasErrors(diagnostics)) throw new RefusedError([entry]);
  session.console.diagnostics(entry.diagnostics, entry.path);
}

/** What is declared is made again by the next apply; what is protected is not deleted by hand either. */
export function declaredOrProtected(found: readonly FoundWorkspace[], target: Target): Diagnostic[] {
  return declarations(found, target).flatMap(({ name, by }): Diagnostic[] => {
    const { declared, address } = by;
    if (declared?.absent) return [];
    if (declared?.protect) {
      return [
        {
          severity: 'error',
          code: 'protected',
          message: `"${name}" is protected; nothing was deleted`,
          address,
          ...located(by),
          hint: 'remove `protect: true` there first',
        },
      ];
    }
    const next = by.name === name ? 'the next apply creates it again' : `it is to be renamed to "${by.name}"`;
    return [
      {
        severity: 'warning',
        code: 'deleted-by-hand',
        message: `"${name}" is declared: ${next}`,
        address,
        ...located(by),
        hint: 'write `state: absent` in its place to have it deleted for good',
      },
    ];
  });
}

/** What the files declare otherwise is put back by the next apply. */
export function declaredLocks(
  found: readonly FoundWorkspace[],
  target: Target,
  wanted: 'locked' | 'unlocked',
): Diagnostic[] {
  return declarations(found, target).flatMap(({ name, by }): Diagnostic[] => {
    const { lock } = by.attributes;
    if (!isRecord(lock) || lock.locked === (wanted === 'locked')) return [];
    return [
      {
        severity: 'warning',
        code: 'declared-lock',
        message: `"${name}" is declared ${lock.locked ? 'locked' : 'unlocked'}: the next apply ${lock.locked ? 'locks' : 'unlocks'} it again`,
        address: by.address,
        ...located(by),
        hint: 'change `lock` there, or remove it to lock by hand',
      },
    ];
  });
}

/** The declaration of each, under its name or the name that it is renamed to. */
function declarations(
  found: readonly FoundWorkspace[],
  { configuration }: Target,
): { readonly name: string; readonly by: Resource }[] {
  const byName = new Map<string, Resource>();
  for (const resource of configuration.desired.resources.values()) {
    if (resource.kind !== 'workspace') continue;
    byName.set(resource.name, resource);
    if (resource.declared?.renamedFrom) byName.set(resource.declared.renamedFrom, resource);
  }
  return found.flatMap(({ resource: { name } }) => {
    const by = byName.get(name);
    return by ? [{ name, by }] : [];
  });
}

function located({ location }: Resource): Pick<Diagnostic, 'location'> {
  return location ? { location } : {};
}
