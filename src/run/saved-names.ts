import type { Configuration } from '../desired/configuration.ts';
import { type NamedId, NoLookUpError, readNames } from '../live/read-names.ts';
import { identifyWorkspace } from '../live/read-workspaces.ts';
import { type AliasKind, referencePaths } from '../model/alias-kind.ts';
import type { FieldChange } from '../model/change.ts';
import type { Plan } from '../model/plan.ts';
import { isRecord, type Value } from '../model/value.ts';
import { withFoundNames } from '../plan/look-up-names.ts';
import type { ServiceReader } from '../service/client.ts';

/*
 * A plan for a few addresses reads less than the whole plan, so it may have fewer names. The names that the saved plan
 * shows are looked up, so that both plans can be compared as printed.
 */

/** The configuration with the ids of those aliases that the saved plan shows, as far as they can be looked up. */
export async function withAliasesOf(
  saved: Plan,
  configuration: Configuration,
  reader: ServiceReader,
): Promise<Configuration> {
  const shown = new Set(saved.changes.flatMap(({ fields }) => fields.flatMap(referencesIn)));
  const kinds = new Set(
    configuration.lookUps
      .filter(({ places }) => places.some(({ alias }) => alias !== undefined && shown.has(alias)))
      .map(({ kind }) => kind),
  );
  const { organization } = configuration.desired;
  const found = await Promise.all(
    [...kinds].map(async (kind) => [kind, await namesOrNone(reader, organization, kind)] as const),
  );
  return withFoundNames(configuration, new Map(found), []);
}

function referencesIn({ path, before, after }: FieldChange): string[] {
  const connection = path === 'vcs-repo' && isRecord(before) ? before['oauth-token-id'] : undefined;
  const values = referencePaths[path] === undefined ? [connection] : [before, after];
  return values.filter((value) => typeof value === 'string');
}

async function namesOrNone(
  reader: ServiceReader,
  organization: string,
  kind: AliasKind,
): Promise<readonly NamedId[] | NoLookUpError> {
  try {
    return await readNames(reader, organization, kind);
  } catch (error) {
    if (error instanceof NoLookUpError) return error;
    throw error;
  }
}

/** The plan with the names of consumers that the service returned by id only. */
export async function withNamesOf(saved: Plan, again: Plan, reader: ServiceReader): Promise<Plan> {
  const known = new Set(saved.changes.flatMap(({ fields }) => fields.flatMap(consumersIn)));
  const unknown = new Set(
    again.changes
      .flatMap(({ fields }) => fields.flatMap(consumersIn))
      .filter((key) => key.startsWith('ws-') && !known.has(key)),
  );
  if (unknown.size === 0) return again;
  const names = new Map<string, string>();
  await Promise.all(
    [...unknown].map(async (id) => {
      const name = (await identifyWorkspace(reader, { id }))?.name;
      if (typeof name === 'string') names.set(id, name);
    }),
  );
  const named = (keys: readonly string[]) => keys.map((key) => names.get(key) ?? key).sort();
  const changes = again.changes.map((change) => ({
    ...change,
    fields: change.fields.map((field): FieldChange => {
      if (field.path !== 'remote-state-consumers') return field;
      const { before, after, add, remove } = field;
      return {
        ...field,
        before: isTexts(before) ? named(before) : before,
        after: isTexts(after) ? named(after) : after,
        ...(add && { add: named(add) }),
        ...(remove && { remove: named(remove) }),
      };
    }),
  }));
  return { ...again, changes };
}

function consumersIn({ path, before, after }: FieldChange): string[] {
  if (path !== 'remote-state-consumers') return [];
  return [before, after].flatMap((value) => (isTexts(value) ? value : []));
}

function isTexts(value: Value): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
