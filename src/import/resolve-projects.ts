import type { Configuration } from '../desired/configuration.ts';
import { readNames } from '../live/read-names.ts';
import { AttuneError } from '../model/attune-error.ts';
import { nearest } from '../model/nearest.ts';
import type { ServiceReader } from '../service/client.ts';

/**
 * The ids of projects that a command line names: by an alias of the files, an id, or the name that the project has.
 *
 * @throws {AttuneError} where one is none of these.
 */
export async function resolveProjects(
  reader: ServiceReader,
  { aliases, desired }: Configuration,
  written: readonly string[],
): Promise<readonly string[]> {
  const known = (project: string) =>
    aliases.projects.get(project) ?? (/^prj-[A-Za-z0-9_-]+$/.test(project) ? project : undefined);
  const named = written.every(known) ? [] : await readNames(reader, desired.organization, 'projects');
  return written.map((project) => {
    const id = known(project) ?? named.find(({ name }) => name === project)?.id;
    if (id !== undefined) return id;
    const near = nearest(project, [...aliases.projects.keys(), ...named.map(({ name }) => name)]);
    throw new AttuneError(`--project ${project}: ${desired.organization} has no project of that name`, {
      code: 'unknown-project',
      hint:
        near === undefined
          ? 'give its name as the service has it, or its id (prj-...)'
          : `did you mean "${near}"?`,
    });
  });
}
