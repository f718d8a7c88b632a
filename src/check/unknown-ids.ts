import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { type ListedObject, NoLookUpError } from '../live/read-names.ts';
import { type AliasKind, aliasKindTable } from '../model/alias-kind.ts';
import { referencePaths } from '../model/attributes.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Change } from '../model/change.ts';
import { type Configuration, rootOf, rootsOf } from '../model/configuration.ts';
import { type Diagnostic, problem, type SourceLocation } from '../model/diagnostic.ts';
import { isPlaceholder, isUncreatedProject, resourcesOf } from '../model/state.ts';
import { nearest, quote } from '../model/text.ts';
import { groupBy, type Values } from '../model/value.ts';
import { isOwners } from '../resolve/name-problems.ts';
import { isNotFound } from '../service/service-error.ts';
import type { Check, Pass } from './check.ts';

/** An id of one of the kinds with aliases, and what uses it. */
export interface UsedId {
  readonly kind: AliasKind;
  readonly id: string;
  /** Where it is used, if no file writes it, as for an undo. */
  readonly address?: string;
  readonly location?: SourceLocation | undefined;
}

type IdSource = Pick<LiveSource, 'objects' | 'workspaceIds'>;

interface IdsInput {
  readonly configuration: Configuration;
  readonly source: IdSource;
  /** Whether projects are read with their key/value tags, as for the comparison. */
  readonly bindings?: boolean | undefined;
}

/**
 * Finds ids of calls that belong to nothing in the organization. Objects are listed only for kinds that a call uses, and
 * only for ids that no live resource shows to exist. An undo has its ids from the service.
 */
export const ids: Check = {
  codes: ['unknown-id'],
  except: ['drift', 'undo'],
  async find({ difference: { changes }, live, query: { bindings = false }, ...from }) {
    const input = { ...from, bindings };
    const [objects, workspaces] = await Promise.all([
      unknownIds(idsToCheck(changes, live), input),
      unknownConsumers(changes, live, input),
    ]);
    return [...objects, ...workspaces];
  },
};

/** The ids that calls send and that no live resource shows to exist. */
export function idsToCheck(changes: readonly Change[], live: Live): readonly UsedId[] {
  const seen = idsShownBy(live);
  return changes.flatMap(referencesSent).filter(({ id }) => !seen.has(id) && !isUncreatedProject(id));
}

/** The ids among these that belong to nothing, at each place that writes them. A kind that is not listed is not checked. */
export async function unknownIds(
  used: readonly UsedId[],
  { configuration, source, bindings = false }: IdsInput,
): Promise<readonly Diagnostic[]> {
  const { organization } = configuration.desired;
  const byKind = [...groupBy(used, ({ kind }) => kind)];
  const found = await Promise.all(
    byKind.map(async ([kind, uses]) => {
      const listed = await listedObjects(source, organization, kind, bindings);
      if (listed === undefined) return [];
      const known = new Set(listed.map(({ id }) => id));
      return uses
        .filter(({ id }) => !known.has(id))
        .flatMap((use) =>
          placesOf(use, configuration).map((at) => unknownId(use, at, { organization, listed })),
        );
    }),
  );
  return withoutRepeats(found.flat());
}

/**
 * A read that finds nothing can mean that the id of a project, whose team access it asks for, belongs to nothing.
 *
 * @throws {DiagnosticsError} if so; else the error of the read, also if the projects cannot be listed.
 */
export function refuseUnknownProjects({
  configuration,
  source,
  query,
}: Pick<Pass, 'configuration' | 'source' | 'query'>): (error: unknown) => Promise<never> {
  return async (error) => {
    if (!isNotFound(error)) throw error;
    const used = query.projects.map((id) => ({ kind: 'projects', id }) as const);
    const { bindings } = query;
    const unknown = await unknownIds(used, { configuration, source, bindings }).catch(() => []);
    throw unknown.length === 0 ? error : new DiagnosticsError([...configuration.diagnostics, ...unknown]);
  };
}

/** The kinds of these ids that the service does not list, or not to this token. */
export async function unlistedKinds(
  used: readonly UsedId[],
  { configuration, source }: IdsInput,
): Promise<readonly AliasKind[]> {
  const { organization } = configuration.desired;
  const kinds = [...new Set(used.map(({ kind }) => kind))];
  const listed = await Promise.all(kinds.map((kind) => listedObjects(source, organization, kind)));
  return kinds.filter((_, index) => listed[index] === undefined);
}

/** `undefined` if the service does not list them, or not to this token. */
export async function listedObjects(
  source: Pick<LiveSource, 'objects'>,
  organization: string,
  kind: AliasKind,
  bindings = false,
): Promise<readonly ListedObject[] | undefined> {
  try {
    return await source.objects?.(organization, kind, { bindings });
  } catch (error) {
    if (error instanceof NoLookUpError) return undefined;
    throw error;
  }
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

/** The ids that the calls of a change send, except those of consumers. */
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
  readonly address?: string;
  readonly alias?: string;
  readonly root?: string | undefined;
}

/** Where the root file of the change writes the id, else any. */
function placesOf({ kind, id, address, location }: UsedId, configuration: Configuration): readonly Place[] {
  const own = address === undefined ? undefined : rootOf(configuration, address);
  const isSeveral = configuration.roots !== undefined;
  const places = (own ? [own] : rootsOf(configuration)).flatMap(({ ids = [], file }) =>
    ids
      .filter((written) => written.kind === kind && written.id === id)
      .flatMap((written) =>
        written.places.map((place) => ({ ...place, root: isSeveral ? file : undefined })),
      ),
  );
  return places.length > 0 ? places : [{ location, ...(address !== undefined && { address }) }];
}

function unknownId(
  { kind, id }: UsedId,
  { alias, ...at }: Place,
  { organization, listed }: { readonly organization: string; readonly listed: readonly ListedObject[] },
): Diagnostic {
  const { article, noun } = aliasKindTable[kind];
  const names = listed.flatMap(({ name = '' }) => (name === '' || isOwners(kind, name) ? [] : name));
  const near = alias === undefined ? undefined : nearest(alias, names);
  return problem(
    'unknown-id',
    `${quote(id)} is not the id of ${article} ${noun} of ${organization} that this token may see`,
    {
      at,
      hint:
        near === undefined
          ? `write the id or the name of ${article} ${noun} of ${organization}`
          : `did you mean ${quote(near)}?`,
    },
  );
}

/** Consumers that calls add by ids, which may belong to no workspace: a plan does not read those that it only names. */
function unknownConsumers(
  changes: readonly Change[],
  live: Live,
  input: IdsInput,
): Promise<readonly Diagnostic[]> {
  const known = new Set([
    ...live.names.keys(),
    ...resourcesOf(live.state.resources.values(), 'workspace').flatMap(({ id }) => id ?? []),
  ]);
  const used = changes.flatMap(({ address, fields, location }) => {
    const list = fields.find(({ path }) => path === consumers);
    const added = (list?.add ?? []).filter((id) => !known.has(id) && !isPlaceholder(id));
    return added.map((id) => ({ id, address, location }));
  });
  return unknownWorkspaces(used, input, live.whole ? known : undefined);
}

/** A workspace whose list of consumers has an id. */
interface UsedWorkspaceId {
  readonly id: string;
  readonly address: string;
  readonly location?: SourceLocation | undefined;
}

/**
 * The ids of consumers that belong to no workspace of the organization.
 *
 * @param existing the ids of all workspaces, if they are known
 */
export async function unknownWorkspaces(
  used: readonly UsedWorkspaceId[],
  { configuration, source }: IdsInput,
  existing?: ReadonlySet<string>,
): Promise<readonly Diagnostic[]> {
  if (used.length === 0) return [];
  const { organization } = configuration.desired;
  const ids = [...new Set(used.map(({ id }) => id))];
  const found = existing ?? (await source.workspaceIds?.(organization, ids));
  if (found === undefined) return [];
  const unknown = used.filter(({ id }) => !found.has(id));
  const diagnostics = unknown.map(({ id, address, location }): Diagnostic => {
    const at = consumerPlace(configuration, address, id) ?? location;
    return problem(
      'unknown-id',
      `${quote(id)} is not the id of a workspace of ${organization} that this token may see`,
      {
        at: { address, location: at },
        hint: `write the name of a workspace of ${organization}, or remove the entry`,
      },
    );
  });
  return diagnostics;
}

const consumers = 'remote-state-consumers';

/** The entry of the list, in the workspace or a layer. */
function consumerPlace({ layered }: Configuration, address: string, id: string): SourceLocation | undefined {
  const field = layered.get(address)?.fields.get(consumers);
  for (const { lists = [], location } of field ? [field, ...(field.lower ?? [])] : []) {
    for (const { items, locate } of lists) {
      const index = items.indexOf(id);
      if (index >= 0) return locate(index) ?? location;
    }
  }
  return field?.location;
}

function withoutRepeats(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const byText = new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic]));
  return [...byText.values()];
}
