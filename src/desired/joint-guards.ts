import { join, relative } from 'node:path';
import type { SourceLocation } from '../model/diagnostic.ts';
import { slashed } from '../model/files.ts';
import { selectedProjects } from '../model/selector.ts';
import { type Configuration, type Guards, isSameOrganization, type LookUp } from './configuration.ts';

type Guarded = Pick<Configuration, 'folder' | 'guards'>;

/** The guards of several root files of one organization, with locations relative to the folder of the first. */
export function guardsOfAll([own, ...others]: readonly [Guarded, ...Guarded[]]): Guards {
  const all = [own.guards, ...others.map((other) => movedGuards(other, own.folder))];
  const keepSelf = all.flatMap((guards) => guards.keepSelf ?? [])[0];
  return {
    protect: all.flatMap(({ protect }) => protect),
    keepAdmin: all.flatMap(({ keepAdmin }) => keepAdmin ?? []),
    ...(keepSelf && { keepSelf }),
  };
}

function movedGuards({ folder, guards }: Guarded, to: string): Guards {
  const moved = <Item extends { readonly location: SourceLocation }>(items: readonly Item[] = []) =>
    items.map((item) => ({ ...item, location: movedLocation(item.location, folder, to) }));
  return {
    protect: moved(guards.protect),
    keepAdmin: moved(guards.keepAdmin),
    ...(guards.keepSelf && { keepSelf: movedLocation(guards.keepSelf, folder, to) }),
  };
}

function movedLocation(location: SourceLocation, from: string, to: string): SourceLocation {
  return { ...location, file: slashed(relative(to, join(from, location.file))) };
}

/**
 * The root files of a run, each with `guards.protect` and `guards.keep-self` of all root files of its organization: one of them
 * must not delete what another one protects. `guards.keep-admin` is about the projects that its own file declares.
 */
export function withJointGuards<Joint extends Configuration>(configurations: readonly Joint[]): Joint[] {
  return configurations.map((own) => {
    const others = configurations.filter((other) => other !== own && isSameOrganization(own, other));
    if (others.every(({ guards }) => guards.protect.length === 0 && !guards.keepSelf)) return own;
    const { keepAdmin: _joint, ...guards } = guardsOfAll([own, ...others]);
    return {
      ...own,
      guards: { ...guards, ...(own.guards.keepAdmin && { keepAdmin: own.guards.keepAdmin }) },
      lookUps: [...own.lookUps, ...others.flatMap((other) => lookUpsOfGuards(other, own))],
    };
  });
}

/** The names of projects that the guards of another root file select by. */
function lookUpsOfGuards(other: Configuration, own: Configuration): LookUp[] {
  const used = new Set(other.guards.protect.flatMap(({ selector }) => selectedProjects(selector)));
  const known = new Set(own.lookUps.map(({ placeholder }) => placeholder));
  return other.lookUps
    .filter(({ placeholder }) => used.has(placeholder) && !known.has(placeholder))
    .map((lookUp) => ({
      ...lookUp,
      places: lookUp.places.map((place) => ({
        ...place,
        location: movedLocation(place.location, other.folder, own.folder),
      })),
    }));
}
