import { resolve } from 'node:path';
import type { Configuration } from '../model/configuration.ts';
import { asListRule, namedEntries } from '../model/list-rule.ts';
import { resourcesOf } from '../model/state.ts';
import { sortedSet } from '../model/value.ts';

/**
 * The names that the root file of the working folder declares. Every failure returns no names, because completion cannot show
 * errors.
 */
export async function knownNames(kind: KnownKind, cwd: string): Promise<readonly string[]> {
  if (kind === 'fields') return (await import('../desired/explain.ts')).knownFields;
  const { loadConfig } = await import('../desired/load-config.ts');
  const loaded = await loadConfig(resolve(cwd, 'attune.yaml'), { cwd }).catch(() => undefined);
  const configuration = loaded?.configurations[0];
  return configuration ? sortedSet(declared[kind](configuration)) : [];
}

export type KnownKind = keyof typeof declared | 'fields';

const declared = {
  addresses: ({ desired }) => [...desired.resources.keys()],
  layers: ({ desired, layered }) => [...desired.resources.keys(), ...layered.keys()],
  projects: ({ aliases }) => [...aliases.projects.keys()],
  tags: ({ desired }) =>
    resourcesOf(desired.resources.values(), 'workspace').flatMap(({ attributes }) => {
      const tags = asListRule<string>(attributes.tags);
      return tags ? namedEntries(tags) : [];
    }),
  teams: ({ aliases }) => [...aliases.teams.keys()],
  workspaces: ({ desired }) => resourcesOf(desired.resources.values(), 'workspace').map(({ name }) => name),
} as const satisfies Readonly<Record<string, (configuration: Configuration) => readonly string[]>>;
