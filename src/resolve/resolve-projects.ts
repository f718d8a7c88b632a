import { NoLookUpError } from '../live/read-names.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import { hintAt } from '../model/text.ts';
import type { NamesOf } from './look-up-names.ts';

/**
 * The ids of projects on the command line, which are written as an alias of the files, an id or a name. Names are read from
 * the service only if needed.
 */
export async function resolveProjects(
  written: readonly string[],
  configuration: Configuration,
  namesOf: NamesOf,
  option: string,
): Promise<readonly string[]> {
  const { aliases, desired } = configuration;
  const asked = written.map((project) => projectCalled(project, configuration));
  const isResolved = asked.every((one) => 'id' in one);
  const named = isResolved
    ? []
    : await namesOf('projects').catch((error: unknown) => hintingAtIds(error, option));
  return asked.map((one, index) => {
    if ('id' in one) return one.id;
    const found = named.find(({ name }) => name === one.name);
    if (found) return found.id;
    const known = [...aliases.projects.keys(), ...named.map(({ name }) => name)];
    throw new AttuneError(
      `${option} ${written[index]}: unknown project in organization ${desired.organization}`,
      {
        code: 'unknown-name',
        hint: hintAt(one.name, known, 'use an alias, the exact name, or the id (prj-...)'),
      },
    );
  });
}

/** Hints at ids: a command line has no line in a file to correct. */
function hintingAtIds(error: unknown, option: string): never {
  if (!(error instanceof NoLookUpError)) throw error;
  throw new AttuneError(error.message, {
    code: error.code,
    cause: error,
    hint: `use the id of the project (prj-...) with ${option}`,
  });
}

/** The name behind an alias may not be resolved yet. */
function projectCalled(
  project: string,
  { aliases, lookUps }: Configuration,
): { readonly id: string } | { readonly name: string } {
  const aliased = aliases.projects.get(project);
  const lookUp = lookUps.find(({ kind, placeholder }) => kind === 'projects' && placeholder === aliased);
  if (lookUp) return { name: lookUp.name };
  if (aliased !== undefined) return { id: aliased };
  return /^prj-[A-Za-z0-9_-]+$/.test(project) ? { id: project } : { name: project };
}
