import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, problem, type SourceLocation, showPlace } from '../model/diagnostic.ts';
import { movedLocation } from '../model/files.ts';
import { type Resource, workspaceAddress } from '../model/state.ts';
import { quote } from '../model/text.ts';
import { isSameOrganization } from '../service/address.ts';
import { desiredKind } from './kinds.ts';
import { projectTombstones, referencePlace, referredProject } from './projects.ts';
import { projectDeleted } from './references.ts';

/**
 * Everything that two root files of one organization both declare, as errors by configuration. Projects and grants are compared
 * by ids as far as names are resolved: check again after the look-ups.
 */
export function rootConflicts(
  configurations: readonly Configuration[],
  cwd: string,
): ReadonlyMap<Configuration, readonly Diagnostic[]> {
  const roots = configurations.map((configuration) => indexed(configuration, cwd));
  const found = roots.flatMap((here): [Configuration, Diagnostic[]][] => {
    const others = roots.filter(
      (there) => there !== here && isSameOrganization(here.configuration, there.configuration),
    );
    const conflicts = others.flatMap((there) => conflictsOf(here, there));
    return conflicts.length > 0 ? [[here.configuration, conflicts]] : [];
  });
  return new Map(found);
}

interface IndexedRoot {
  readonly configuration: Configuration;
  readonly byIdentity: ReadonlyMap<string, Resource>;
  /** Projects that the root file deletes, by id. */
  readonly deletedProjects: ReadonlyMap<string, Resource>;
  /** Workspaces by the address of their former name. */
  readonly byFormer: ReadonlyMap<string, Resource>;
  readonly shown: (location: SourceLocation | undefined) => string;
}

function indexed(configuration: Configuration, cwd: string): IndexedRoot {
  const resources = [...configuration.desired.resources.values()];
  const { folder } = configuration;
  return {
    configuration,
    byIdentity: new Map(
      resources.flatMap((resource) =>
        desiredKind(resource.kind)
          .identities(resource)
          .map((identity) => [identity, resource] as const),
      ),
    ),
    deletedProjects: projectTombstones(resources),
    byFormer: new Map(
      resources.flatMap((resource) => {
        const former = formerAddress(resource);
        return former === undefined ? [] : [[former, resource] as const];
      }),
    ),
    shown: (location) => (location ? showPlace(movedLocation(location, folder, cwd)) : ''),
  };
}

function conflictsOf(here: IndexedRoot, there: IndexedRoot): Diagnostic[] {
  return [...here.configuration.desired.resources.values()].flatMap((resource) => {
    const others = desiredKind(resource.kind)
      .identities(resource)
      .flatMap((identity) => there.byIdentity.get(identity) ?? []);
    return [
      ...[...new Set(others)].map((other) => declaredInBoth(resource, other, there)),
      ...sameAddress(resource, others, there),
      ...renameConflicts(resource, there),
      ...deletedElsewhere(resource, there),
    ];
  });
}

/** A workspace or a grant in a project that another root file deletes. */
function deletedElsewhere(resource: Resource, there: IndexedRoot): Diagnostic[] {
  const tombstone = there.deletedProjects.get(referredProject(resource) ?? '');
  if (tombstone === undefined) return [];
  const at = { address: resource.address, location: referencePlace(resource) };
  const how = `by another root file, at ${there.shown(tombstone.location)}`;
  return [projectDeleted(tombstone.name, how, at)];
}

function declaredInBoth(resource: Resource, other: Resource, there: IndexedRoot): Diagnostic {
  return desiredKind(resource.kind).declaredByTwo(resource, other, there.shown(other.location));
}

/** An address is one object, so that an alias of two projects or teams cannot be in the address of both. */
function sameAddress(resource: Resource, others: readonly Resource[], there: IndexedRoot): Diagnostic[] {
  const { address, location } = resource;
  const other = there.configuration.desired.resources.get(address);
  if (other === undefined || others.includes(other)) return [];
  const place = there.shown(other.location);
  return [
    problem(
      'duplicate-name',
      `two root files use the address ${address} for different objects, also at ${place}`,
      {
        at: { address, location },
        hint: 'give the project or the team another alias in one of them',
      },
    ),
  ];
}

/** A former name belongs to no workspace that another root file declares, deletes or renames. */
function renameConflicts(resource: Resource, there: IndexedRoot): Diagnostic[] {
  const former = formerAddress(resource);
  if (former === undefined) return [];
  const name = quote(resource.declared?.renamedFrom);
  const location = renamePlace(resource);
  const at = { address: resource.address, location };
  const declared = there.byIdentity.get(former);
  const renamed = there.byFormer.get(former);
  return [
    ...(declared
      ? [
          problem(
            'renamed-from',
            `${name} is ${declared.declared?.absent ? 'deleted' : 'declared'} by another root file, at ${there.shown(declared.location)}`,
            { at },
          ),
        ]
      : []),
    ...(renamed
      ? [
          problem(
            'renamed-from',
            `${name} is also the former name of ${quote(renamed.name)} in another root file, at ${there.shown(renamePlace(renamed))}`,
            { at },
          ),
        ]
      : []),
  ];
}

function renamePlace({ declared, location }: Resource): SourceLocation | undefined {
  return declared?.locations?.['renamed-from'] ?? location;
}

/** The former name of a project is one of its identities. */
function formerAddress({ kind, declared }: Resource): string | undefined {
  if (kind !== 'workspace' || declared?.renamedFrom === undefined) return undefined;
  return workspaceAddress(declared.renamedFrom);
}
