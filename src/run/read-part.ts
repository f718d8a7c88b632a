import { rememberLists, serviceSource } from '../live/live-source.ts';
import type { Configuration } from '../model/configuration.ts';
import { selectorIn } from '../model/declared-selector.ts';
import type { Selector } from '../model/selector.ts';
import { resourcesOf } from '../model/state.ts';
import { lookUpNames, type NamesOf } from '../resolve/look-up-names.ts';
import { resolveProjects } from '../resolve/resolve-projects.ts';
import { type OrganizationReading, readOrganization } from '../write/read-organization.ts';
import type { Selection } from '../write/selection.ts';
import type { Connection } from './connect.ts';
import type { RunContext } from './context.ts';

/** The part of an organization that is imported; an omitted filter selects all. */
export interface ImportFilters {
  /** Aliases of the files, names or ids (`prj-...`): any of the projects. */
  readonly projects?: readonly string[] | undefined;
  /** All of the tags. */
  readonly tags?: readonly string[] | undefined;
  /** Names of workspaces: any of the names. `*` matches any characters. */
  readonly names?: readonly string[] | undefined;
}

export interface LivePart {
  readonly reading: OrganizationReading;
  readonly selection: Selection;
  /** The source; its names are resolved if the import adds to it. */
  readonly configuration: Configuration;
  readonly namesOf: NamesOf;
}

/** Reads the part of the live state that the filters select. */
export async function readPart(
  { client, dialect: known }: Connection,
  filters: ImportFilters,
  { source, isUpdate }: { readonly source: Configuration; readonly isUpdate: boolean },
  context: RunContext,
): Promise<LivePart> {
  const { organization } = source.desired;
  const reader = rememberLists(client);
  const knownDialect = source.service.dialect ?? known;
  // Projects are listed with their key/value tags, which the import reads from the same list.
  const options = { bindings: knownDialect !== 'iac' };
  const once = serviceSource(reader);
  const namesOf: NamesOf = (kind) => once.names(organization, kind, options);
  const configuration = isUpdate ? await lookUpNames(source, namesOf) : source;
  const selection = await selectionOf(filters, configuration, namesOf, context);
  const reading = await readOrganization(reader, {
    organization,
    namesOf,
    selection: isUpdate
      ? {
          ...selection,
          known: declaredNames(configuration),
          ...(configuration.scope && { scope: configuration.scope }),
        }
      : selection,
    ...(knownDialect && { dialect: knownDialect }),
  });
  return { reading, selection, configuration, namesOf };
}

async function selectionOf(
  { projects: written, tags, names }: ImportFilters,
  configuration: Configuration,
  namesOf: NamesOf,
  { options: { only }, named }: RunContext,
): Promise<Selection> {
  const projects = written && (await resolveProjects(written, configuration, namesOf, named('project')));
  const selectors = only ? await resolvedSelectors(only, configuration, namesOf, named('only')) : [];
  return {
    ...(projects && { projects }),
    ...(tags && { tags }),
    ...(names && { names }),
    ...(only && { only }),
    ...(selectors.length > 0 && { selectors }),
  };
}

async function resolvedSelectors(
  only: readonly string[],
  configuration: Configuration,
  namesOf: NamesOf,
  option: string,
): Promise<readonly Selector[]> {
  return Promise.all(
    only
      .flatMap((pattern) => selectorIn(pattern) ?? [])
      .map(async ({ project, ...selector }) =>
        project === undefined
          ? selector
          : {
              ...selector,
              project: await resolveProjects([project].flat(), configuration, namesOf, option),
            },
      ),
  );
}

/** The workspaces that the files declare, tombstones and former names included. */
function declaredNames({ desired }: Configuration): ReadonlySet<string> {
  return new Set(
    resourcesOf(desired.resources.values(), 'workspace').flatMap(({ name, declared }) => [
      name,
      declared?.renamedFrom ?? name,
    ]),
  );
}
