import type { Configuration } from '../../desired/configuration.ts';
import { type OrganizationReading, readOrganization } from '../../import/read-organization.ts';
import type { Selection } from '../../import/selection.ts';
import { readNames } from '../../live/read-names.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import { lookUpNames, type NamesOf } from '../../plan/look-up-names.ts';
import type { ServiceReader } from '../../service/client.ts';
import type { Connection } from '../organizations/connect.ts';
import { resolveProjects } from '../organizations/resolve-projects.ts';

/** What the command line says about the part that is meant. */
export interface PartFlags {
  readonly project?: readonly string[];
  readonly tag?: readonly string[];
  readonly name?: readonly string[];
  readonly only?: readonly string[];
}

export interface ReadPartOptions {
  readonly source: Configuration;
  /** What the source declares is not read again. */
  readonly isUpdate: boolean;
}

/** What was read, and what it was asked with. */
export interface Part {
  readonly reading: OrganizationReading;
  readonly selection: Selection;
  /** The source, names looked up where it is added to. */
  readonly configuration: Configuration;
  readonly namesOf: NamesOf;
}

/**
 * Reads what the flags choose.
 *
 * @throws {AttuneError} where a read fails, or a project is not there.
 */
export async function readPart(
  { client, dialect: known }: Connection,
  flags: PartFlags,
  { source, isUpdate }: ReadPartOptions,
): Promise<Part> {
  const { organization } = source.desired;
  const namesOf = rememberedNames(client, organization);
  const configuration = isUpdate ? await lookUpNames(source, namesOf) : source;
  const selection = await selectionOf(flags, configuration, namesOf);
  const dialect = source.service.dialect ?? known;
  const reading = await readOrganization(client, {
    organization,
    namesOf,
    selection: isUpdate ? { ...selection, known: knownNames(configuration) } : selection,
    ...(dialect && { dialect }),
  });
  return { reading, selection, configuration, namesOf };
}

async function selectionOf(
  { project, tag, name, only }: PartFlags,
  configuration: Configuration,
  namesOf: NamesOf,
): Promise<Selection> {
  const projects = project && (await resolveProjects(project, configuration, namesOf));
  return {
    ...(projects && { projects }),
    ...(tag && { tags: tag }),
    ...(name && { names: name }),
    ...(only && { only }),
  };
}

/** Everything of a kind, asked of the service once. */
function rememberedNames(client: ServiceReader, organization: string): NamesOf {
  const known = new Map<AliasKind, ReturnType<NamesOf>>();
  return (kind) => {
    const names = known.get(kind) ?? readNames(client, organization, kind);
    known.set(kind, names);
    return names;
  };
}

/** The workspaces that the files declare, tombstones and former names included. */
function knownNames({ desired }: Configuration): ReadonlySet<string> {
  return new Set(
    [...desired.resources.values()].flatMap(({ kind, name, declared }) =>
      kind === 'workspace' ? [name, declared?.renamedFrom ?? name] : [],
    ),
  );
}
