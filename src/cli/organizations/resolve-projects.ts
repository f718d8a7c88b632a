import type { Configuration } from '../../desired/configuration.ts';
import { NoLookUpError } from '../../live/read-names.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { nearest } from '../../model/text.ts';
import type { NamesOf } from '../../plan/look-up-names.ts';

/**
 * The ids of projects that a command line names: by an alias of the files, an id, or the name that the project has. Names
 * are asked for only where one is needed.
 *
 * @throws {AttuneError} where one is none of these.
 */
export async function resolveProjects(
  written: readonly string[],
  configuration: Configuration,
  namesOf: NamesOf,
): Promise<readonly string[]> {
  const { aliases, desired } = configuration;
  const asked = written.map((project) => projectCalled(project, configuration));
  const isResolved = asked.every((one) => 'id' in one);
  const named = isResolved ? [] : await namesOf('projects').catch(hintingAtIds);
  return asked.map((one, index) => {
    if ('id' in one) return one.id;
    const found = named.find(({ name }) => name === one.name);
    if (found) return found.id;
    const near = nearest(one.name, [...aliases.projects.keys(), ...named.map(({ name }) => name)]);
    throw new AttuneError(
      `--project ${written[index]}: ${desired.organization} has no project of that name`,
      {
        code: 'unknown-project',
        hint:
          near === undefined
            ? 'give its name as the service has it, or its id (prj-...)'
            : `did you mean "${near}"?`,
      },
    );
  });
}

/** On a command line there is no line to mend, but an id helps all the same. */
function hintingAtIds(error: unknown): never {
  if (!(error instanceof NoLookUpError)) throw error;
  throw new AttuneError(error.message, {
    code: error.code,
    cause: error,
    hint: 'give --project its id (prj-...)',
  });
}

/** An alias may stand for a name that was not looked up yet. */
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
