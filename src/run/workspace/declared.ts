import { quote } from '../../desired/text.ts';
import { protectionOf } from '../../diff/protection.ts';
import { currentRunOf } from '../../live/included.ts';
import { readNames } from '../../live/read-names.ts';
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts';
import type { Resource } from '../../model/state.ts';
import { isRecord } from '../../model/value.ts';
import { lookUpNames } from '../../plan/look-up-names.ts';
import type { ReportEntry } from '../../report/report.ts';
import type { RunContext } from '../context.ts';
import { RefusedError } from '../errors.ts';
import { entryOf } from '../report-entry.ts';
import type { Found } from './find.ts';
import type { Target } from './open-target.ts';

/**
 * Checks the deletion of workspaces by the guards and the declarations of the files.
 *
 * @returns the warnings
 * @throws {RefusedError} if one of them is protected.
 */
export async function checkDeletion(found: Found, target: Target, context: RunContext): Promise<ReportEntry> {
  const diagnostics = [...(await guarded(found, target)), ...declaredOrProtected(found, target)];
  const entry = entryOf(context, target.configuration.folder, { diagnostics });
  if (hasErrors(diagnostics)) throw new RefusedError([entry]);
  return entry;
}

/**
 * Workspaces that `guards.protect` protects, declared or not. Names of projects are looked up if an entry needs them.
 */
async function guarded(found: Found, target: Target): Promise<Diagnostic[]> {
  const { configuration, organization, connection } = target;
  const { client } = connection;
  const named = await lookUpNames(configuration, (kind) => readNames(client, organization, kind), {
    chosen: () => false,
    also: ['protect'],
  });
  return found.flatMap(({ resource }): Diagnostic[] => {
    const protection = protectionOf(named, [resource]);
    if (protection === undefined) return [];
    return [
      {
        severity: 'error',
        code: 'protected',
        message: `${quote(resource.name)} is protected: guards.protect has ${protection.written}; nothing was deleted`,
        address: resource.address,
        location: protection.location,
        hint: `remove ${protection.written} from guards.protect first`,
      },
    ];
  });
}

/** The next apply creates a declared workspace again. A protected workspace cannot be deleted manually either. */
function declaredOrProtected(found: Found, target: Target): Diagnostic[] {
  return declarations(found, target).flatMap(({ name, by }): Diagnostic[] => {
    const { declared, address } = by;
    if (declared?.absent) return [];
    if (declared?.protect) {
      return [
        {
          severity: 'error',
          code: 'protected',
          message: `cannot delete "${name}": it is protected; no workspace was deleted`,
          address,
          ...located(by),
          hint: 'remove `protect: true` from its declaration first',
        },
      ];
    }
    const next =
      by.name === name ? 'the next apply creates it again' : `the next apply renames it to "${by.name}"`;
    return [
      {
        severity: 'warning',
        code: 'deleted-by-hand',
        message: `"${name}" is declared: ${next}`,
        address,
        ...located(by),
        hint: 'replace its declaration with `state: absent` to delete it permanently',
      },
    ];
  });
}

/** Warns of workspaces whose declared lock the next apply restores. */
export function checkLocks(
  found: Found,
  wanted: 'locked' | 'unlocked',
  target: Target,
  context: RunContext,
): ReportEntry {
  const diagnostics = declarations(found, target).flatMap(({ name, by }): Diagnostic[] => {
    const { lock } = by.attributes;
    if (!isRecord(lock) || lock.locked === (wanted === 'locked')) return [];
    return [
      {
        severity: 'warning',
        code: 'declared-lock',
        message: `"${name}" is declared ${lock.locked ? 'locked' : 'unlocked'}: the next apply ${lock.locked ? 'locks' : 'unlocks'} it again`,
        address: by.address,
        ...located(by),
        hint: 'change `lock` in the declaration, or remove it to lock manually',
      },
    ];
  });
  return entryOf(context, target.configuration.folder, { diagnostics });
}

/** Statuses of runs that have ended, and of a saved plan, which holds no lock. */
const ended: ReadonlySet<unknown> = new Set([
  'applied',
  'canceled',
  'discarded',
  'errored',
  'force_canceled',
  'planned_and_finished',
  'planned_and_saved',
  'policy_soft_failed',
]);

/** Warns of workspaces whose current run goes on: without the lock another run can change the same state. */
export function checkRuns(found: Found, target: Target, context: RunContext): ReportEntry {
  const diagnostics = found.flatMap(({ document, resource: { name, address } }): Diagnostic[] => {
    const { id, status } = currentRunOf(document) ?? {};
    if (status === undefined || ended.has(status)) return [];
    return [
      {
        severity: 'warning',
        code: 'unfinished-run',
        message: `the run ${id} of "${name}" is not finished (${status}): without the lock, another run can start beside it`,
        address,
        hint: 'wait for the run to end, or cancel it first',
      },
    ];
  });
  return entryOf(context, target.configuration.folder, { diagnostics });
}

/** The declaration of each workspace, under its present or its new name. */
function declarations(
  found: Found,
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
