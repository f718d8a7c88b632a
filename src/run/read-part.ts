import type { Configuration } from '../desired/configuration.ts';
import { selectorIn } from '../desired/select-addresses.ts';
import { type OrganizationReading, readOrganization } from '../import/read-organization.ts';
import type { Selection } from '../import/selection.ts';
import { rememberProjects } from '../live/live-source.ts';
import { readNames } from '../live/read-names.ts';
import { includingBindings } from '../live/tag-bindings.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import type { Dialect } from '../model/dialect.ts';
import { matchesSelector } from '../model/selector.ts';
import { resourcesOf } from '../model/state.ts';
import { lookUpNames, type NamesOf } from '../plan/look-up-names.ts';
import type { ServiceReader } from '../service/client.ts';
import type { Connection } from './connect.ts';
import type { RunContext } from './context.ts';
import { resolveProjects } from './resolve-projects.ts';

/** The part of an organization that is imported; an omitted filter selects all. */
export interface ImportFilters {
  /** Aliases of the files, names or ids (`prj-...`): any of the projects. */
  readonly projects?: readonly string[] | undefined;
  /** All of the tags. */
  readonly tags?: readonly string[] | undefined;
  /** Names of workspaces: any of the names. `*` matches any characters. */
  readonly names?: readonly string[] | undefined;
  /** Also what is outside the scope of the files, for `update`. */
  readonly everything?: boolean | undefined;
}

export interface ReadPartOptions {
  readonly source: Configuration;
  /** Skips resources that the source declares. */
  readonly isUpdate: boolean;
  /** Patterns of addresses. */
  readonly only: readonly string[] | undefined;
  readonly named: RunContext['named'];
}

/** The selected part of the live state, and the selection. */
export interface LivePart {
  readonly reading: OrganizationReading;
  readonly selection: Selection;
  /** The source; its names are resolved if the import adds to it. */
  readonly configuration: Configuration;
  readonly namesOf: NamesOf;
}

/**
 * Reads the part of the live state that the filters select.
 *
 * @throws {AttuneError} if a read fails, or a project does not exist.
 */
export async function readPart(
  { client, dialect: known }: Connection,
  filters: ImportFilters,
  { source, isUpdate, only, named }: ReadPartOptions,
): Promise<LivePart> {
  const { organization } = source.desired;
  const reader = rememberProjects(client);
  const knownDialect = source.service.dialect ?? known;
  const namesOf = rememberedNames(reader, { organization, bindings: knownDialect !== 'iac' });
  const configuration = isUpdate ? await lookUpNames(source, namesOf) : source;
  const asked = await selectionOf({ ...filters, only, named }, configuration, namesOf);
  const selection = await withSelected(asked, { configuration, namesOf, named, reader, knownDialect });
  const reading = await readOrganization(reader, {
    organization,
    namesOf,
    selection: isUpdate
      ? {
          ...selection,
          known: knownNames(configuration),
          ...(configuration.scope && !filters.everything && { scope: configuration.scope }),
        }
      : selection,
    ...(knownDialect && { dialect: knownDialect }),
  });
  return { reading, selection, configuration, namesOf };
}

async function selectionOf(
  { projects: written, tags, names, only, named }: ImportFilters & Pick<ReadPartOptions, 'only' | 'named'>,
  configuration: Configuration,
  namesOf: NamesOf,
): Promise<Selection> {
  const projects = written && (await resolveProjects(written, configuration, namesOf, named('project')));
  return {
    ...(projects && { projects }),
    ...(tags && { tags }),
    ...(names && { names }),
    ...(only && { only }),
  };
}

interface SelectorContext extends Pick<ReadPartOptions, 'named'> {
  readonly configuration: Configuration;
  readonly namesOf: NamesOf;
  readonly reader: ServiceReader;
  readonly knownDialect: Dialect | undefined;
}

/** Selectors among the patterns select live workspaces, and with projects alone also the access to these. */
async function withSelected(
  selection: Selection,
  { configuration, namesOf, named, reader, knownDialect }: SelectorContext,
): Promise<Selection> {
  const { only = [], ...others } = selection;
  const selectors = only.flatMap((pattern) => selectorIn(pattern) ?? []);
  if (selectors.length === 0) return selection;
  const { live } = await readOrganization(reader, {
    organization: configuration.desired.organization,
    namesOf,
    selection: others,
    ...(knownDialect && { dialect: knownDialect }),
  });
  const addresses = new Set<string>();
  const grants = new Set<string>();
  for (const written of selectors) {
    const { project, ...rest } = written;
    const projects =
      project && (await resolveProjects([project].flat(), configuration, namesOf, named('only')));
    const selector = projects ? { ...rest, project: projects } : written;
    for (const workspace of resourcesOf(live.state.resources.values(), 'workspace'))
      if (matchesSelector(selector, workspace, live.dialect)) addresses.add(workspace.address);
    if (Object.keys(rest).length > 0) continue;
    for (const { attributes } of resourcesOf(live.state.resources.values(), 'team-access'))
      if (projects?.includes(attributes.project)) grants.add(`${attributes.project}/${attributes.team}`);
  }
  return { ...others, only: [...only, ...addresses], ...(grants.size > 0 && { grants }) };
}

/** The names of a kind, requested once; projects with their key/value tags, which the import reads from the same list. */
function rememberedNames(
  reader: ServiceReader,
  { organization, bindings }: { readonly organization: string; readonly bindings: boolean },
): NamesOf {
  const forProjects = bindings ? includingBindings(reader) : reader;
  const known = new Map<AliasKind, ReturnType<NamesOf>>();
  return (kind) => {
    const names =
      known.get(kind) ?? readNames(kind === 'projects' ? forProjects : reader, organization, kind);
    known.set(kind, names);
    return names;
  };
}

/** The workspaces that the files declare, tombstones and former names included. */
function knownNames({ desired }: Configuration): ReadonlySet<string> {
  return new Set(
    resourcesOf(desired.resources.values(), 'workspace').flatMap(({ name, declared }) => [
      name,
      declared?.renamedFrom ?? name,
    ]),
  );
}
