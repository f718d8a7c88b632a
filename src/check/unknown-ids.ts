import type { Live, LiveSource } from '../live/read-live.ts';
import { ifListed, type ListedObject } from '../live/read-names.ts';
import { type AliasKind, aliasKindTable } from '../model/alias-kind.ts';
import { referencePaths } from '../model/attributes.ts';
import type { Change } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, DiagnosticsError, problem, type SourceLocation } from '../model/diagnostic.ts';
import { isPlaceholder, isUncreatedProject, resourcesOf } from '../model/state.ts';
import { nearest, quote } from '../model/text.ts';
import { groupBy, type Values } from '../model/value.ts';
import { isOwners } from '../resolve/name-problems.ts';
import { isNotFound } from '../service/service-error.ts';
import type { Check, Pass } from './check.ts';

interface UsedId {
  readonly kind: AliasKind | 'workspaces';
  readonly id: string;
  /** Where it is used, if no file writes it, as for an undo. */
  readonly address?: string | undefined;
  readonly location?: SourceLocation | undefined;
}

interface IdsInput {
  readonly configuration: Configuration;
  readonly source: Pick<LiveSource, 'objects' | 'workspaceIds'>;
  readonly bindings?: boolean | undefined;
  readonly workspaces?: ReadonlySet<string> | undefined;
}

/**
 * Finds ids of calls that belong to nothing in the organization. Objects are listed only for kinds that a call uses, and
 * only for ids that no live resource shows to exist. An undo has its ids from the service.
 */
export const ids: Check = {
  codes: ['unknown-id'],
  except: ['drift', 'undo'],
  async find({ configuration, source, difference: { changes }, live, query: { bindings } }) {
    const shown = resourcesOf(live.state.resources.values(), 'workspace');
    const seen = new Set([...live.names.keys(), ...shown.flatMap(({ id }) => id ?? [])]);
    const used = [...idsToCheck(changes, live), ...consumersToCheck(changes, seen)];
    const workspaces = live.whole ? seen : undefined;
    return unknownIds(used, { configuration, source, bindings, workspaces });
  },
};

export function idsToCheck(changes: readonly Change[], live: Live): readonly UsedId[] {
  const seen = idsShownBy(live);
  return changes.flatMap(referencesSent).filter(({ id }) => !seen.has(id) && !isUncreatedProject(id));
}

/** Consumers that calls add by ids, which may belong to no workspace: a plan does not read those that it only names. */
function consumersToCheck(changes: readonly Change[], seen: ReadonlySet<string>): readonly UsedId[] {
  return changes.flatMap(({ address, fields, location }) => {
    const list = fields.find(({ path }) => path === consumers);
    const added = (list?.add ?? []).filter((id) => !seen.has(id) && !isPlaceholder(id));
    return added.map((id) => ({ kind: 'workspaces' as const, id, address, location }));
  });
}

/** Kinds that the service does not list, or not to this token, are not checked. */
export async function unknownIds(
  used: readonly UsedId[],
  { configuration, source, bindings = false, workspaces }: IdsInput,
): Promise<readonly Diagnostic[]> {
  const { organization } = configuration.desired;
  const found = await Promise.all(
    [...groupBy(used, ({ kind }) => kind)].map(async ([kind, uses]) => {
      const unique = [...new Set(uses.map(({ id }) => id))];
      const listed =
        kind !== 'workspaces' && source.objects
          ? await ifListed(source.objects(organization, kind, { bindings }))
          : undefined;
      const known =
        kind === 'workspaces'
          ? (workspaces ?? (await source.workspaceIds?.(organization, unique)))
          : listed && new Set(listed.map(({ id }) => id));
      const unknown = known ? uses.filter(({ id }) => !known.has(id)) : [];
      return unknown.flatMap((use) =>
        placesOf(use, configuration).map((at) => unknownId(use, at, { organization, listed: listed ?? [] })),
      );
    }),
  );
  const byText = new Map(found.flat().map((diagnostic) => [JSON.stringify(diagnostic), diagnostic]));
  return [...byText.values()];
}

/** A read that finds nothing can mean that the id of a project, whose team access it asks for, belongs to nothing. */
export function refuseUnknownProjects({
  configuration,
  source,
  query,
}: Pick<Pass, 'configuration' | 'source' | 'query'>): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!isNotFound(error)) throw error;
    const used = query.projects.map((id) => ({ kind: 'projects', id }) as const);
    const input = { configuration, source, bindings: query.bindings };
    const diagnostics = await unknownIds(used, input).catch(() => []);
    throw diagnostics.length === 0
      ? error
      : new DiagnosticsError([...configuration.diagnostics, ...diagnostics]);
  };
}

/**
 * Projects and teams that are there, because live resources belong to them. Other ids can outlive their object, and some
 * services answer the list of grants of a project that does not exist with an empty page.
 */
function idsShownBy({ state }: Live): ReadonlySet<string> {
  const resources = [...state.resources.values()];
  return new Set([
    ...resourcesOf(resources, 'project').flatMap(({ id }) => id ?? []),
    ...resourcesOf(resources, 'workspace').flatMap(({ attributes }) => attributes.project ?? []),
    ...resourcesOf(resources, 'team-access').flatMap(({ attributes: { project, team } }) => [project, team]),
  ]);
}

function referencesSent({ action, address, fields, target, location }: Change): UsedId[] {
  // The project and the team of a new grant are not among its fields.
  const created: Values = (action === 'create' && target?.attributes) || {};
  const sent = new Map([
    ...fields.map(({ path, after }) => [path, after] as const),
    ...Object.entries(created),
  ]);
  return [...sent].flatMap(([path, id]) => {
    const referred = referencePaths[path];
    return referred && typeof id === 'string' ? [{ kind: referred, id, address, location }] : [];
  });
}

interface Place {
  readonly location: SourceLocation | undefined;
  readonly address?: string | undefined;
  readonly alias?: string | undefined;
  readonly root?: string | undefined;
}

function placesOf({ kind, id, address, location }: UsedId, configuration: Configuration): readonly Place[] {
  if (kind === 'workspaces')
    return [{ address, location: consumerPlace(configuration, address, id) ?? location }];
  const { roots = [configuration] } = configuration;
  const own = roots.filter(({ desired }) => desired.resources.has(address ?? ''));
  const places = (own.length > 0 ? own : roots).flatMap(({ ids = [], file }) =>
    ids
      .filter((written) => written.kind === kind && written.id === id)
      .flatMap((written) => written.places.map((place) => ({ ...place, root: configuration.roots && file }))),
  );
  return places.length > 0 ? places : [{ address, location }];
}

const consumers = 'remote-state-consumers';

function consumerPlace(
  { layered }: Configuration,
  address: string | undefined,
  id: string,
): SourceLocation | undefined {
  const field = layered.get(address ?? '')?.fields.get(consumers);
  for (const { lists = [], location } of field ? [field].concat(field.lower ?? []) : []) {
    for (const { items, locate } of lists) {
      const index = items.indexOf(id);
      if (index >= 0) return locate(index) ?? location;
    }
  }
  return field?.location;
}

function unknownId(
  { kind, id }: UsedId,
  { alias, ...at }: Place,
  { organization, listed }: { readonly organization: string; readonly listed: readonly ListedObject[] },
): Diagnostic {
  const { article, noun } =
    kind === 'workspaces' ? { article: 'a', noun: 'workspace' } : aliasKindTable[kind];
  const message = `${quote(id)} is not the id of ${article} ${noun} of ${organization} that this token may see`;
  if (kind === 'workspaces') {
    const hint = `write the name of a workspace of ${organization}, or remove the entry`;
    return problem('unknown-id', message, { at, hint });
  }
  const names = listed.flatMap(({ name }) => (name === undefined || isOwners(kind, name) ? [] : name));
  const near = alias === undefined ? undefined : nearest(alias, names);
  const write = `write the id or the name of ${article} ${noun} of ${organization}`;
  return problem('unknown-id', message, {
    at,
    hint: near === undefined ? write : `did you mean ${quote(near)}?`,
  });
}
