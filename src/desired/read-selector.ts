import type { Selector } from '../model/selector.ts';
import { locateValue } from './files/source.ts';
import type { Loading } from './problems.ts';
import type { References } from './references.ts';

/** A selector of a file with the ids of its projects. */
export function readSelector(
  raw: Selector,
  { loading: { origins }, references }: { readonly loading: Loading; readonly references: References },
): Selector {
  const { project } = raw;
  if (project === undefined) return { ...raw };
  const resolve = (written: string, container: object, key: string | number) =>
    references.resolve('projects', written, locateValue(origins, container, key)) ?? written;
  return {
    ...raw,
    project:
      typeof project === 'string'
        ? resolve(project, raw, 'project')
        : project.map((written, index) => resolve(written, project, index)),
  };
}
