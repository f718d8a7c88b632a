import { join, relative } from 'node:path';
import type { Diagnostic } from '../model/diagnostic.ts';
import { slashed } from '../model/paths.ts';
import type { Resource } from '../model/state.ts';
import type { Configuration } from './configuration.ts';
import { showPlace } from './declarations.ts';
import type { LoadedRoot } from './load-root.ts';
import { quote } from './quote.ts';
import { isSameOrganization } from './same-service.ts';

/**
 * An organization may be split over several root files, each with its own scope, as long as nothing stands in two of
 * them: they are planned apart, and one would undo what the other does.
 */
export function judgeRoots(roots: readonly LoadedRoot[], cwd: string): readonly LoadedRoot[] {
  return roots.map((root) => {
    const { configuration } = root;
    if (!configuration) return root;
    const others = roots.flatMap((other) =>
      other !== root && other.configuration && isSameOrganization(configuration, other.configuration)
        ? [other.configuration]
        : [],
    );
    const twice = others.flatMap((other) => declaredTwice(configuration, other, cwd));
    if (twice.length === 0) return root;
    const { configuration: _, ...rest } = root;
    return { ...rest, diagnostics: [...root.diagnostics, ...twice] };
  });
}

function declaredTwice(here: Configuration, there: Configuration, cwd: string): Diagnostic[] {
  const theirs = new Map(
    [...there.desired.resources.values()].map((resource) => [identity(resource), resource]),
  );
  return [...here.desired.resources.values()].flatMap((resource): Diagnostic[] => {
    const other = theirs.get(identity(resource));
    if (!other?.location) return [];
    const place = { ...other.location, file: shownFrom(cwd, there.folder, other.location.file) };
    const isWorkspace = resource.kind === 'workspace';
    return [
      {
        severity: 'error',
        code: isWorkspace ? 'duplicate-name' : 'duplicate-grant',
        message: isWorkspace
          ? `the workspace ${quote(resource.name)} is declared by two root files, also at ${showPlace(place)}`
          : `this team and project stand in two root files, also as ${quote(other.name)} at ${showPlace(place)}`,
        address: resource.address,
        ...(resource.location && { location: resource.location }),
        hint: 'keep one of them',
      },
    ];
  });
}

/** Grants are the same whatever their keys are called. */
function identity({ kind, address, attributes }: Resource): string {
  return kind === 'workspace' ? address : `${kind} ${attributes.project}/${attributes.team}`;
}

function shownFrom(cwd: string, folder: string, file: string): string {
  return slashed(relative(cwd, join(folder, file)));
}
