import { resolve } from 'node:path';
import type { Configuration } from '../model/configuration.ts';
import { asListRule, namedEntries } from '../model/list-rule.ts';
import { resourcesOf } from '../model/state.ts';
import { sortedSet } from '../model/value.ts';

/** The names that the root file of the working folder declares, for a placeholder. None if a file has errors: completion cannot show them. */
export async function knownNames(placeholder: string, cwd: string): Promise<readonly string[]> {
  if (placeholder === 'field') return (await import('../desired/explain.ts')).knownFields;
  const declared = Object.hasOwn(declaredNames, placeholder) ? declaredNames[placeholder] : undefined;
  if (declared === undefined) return [];
  const { loadConfig } = await import('../desired/load-config.ts');
  const loaded = await loadConfig(resolve(cwd, 'attune.yaml'), { cwd }).catch(() => undefined);
  return sortedSet(loaded?.configurations.slice(0, 1).flatMap(declared) ?? []);
}

type DeclaredNames = (configuration: Configuration) => readonly string[];

const addresses: DeclaredNames = ({ desired }) => [...desired.resources.keys()];
const workspaces: DeclaredNames = ({ desired }) =>
  resourcesOf(desired.resources.values(), 'workspace').map(({ name }) => name);

/** By the placeholder of a flag or an argument. */
const declaredNames: Readonly<Record<string, DeclaredNames>> = {
  address: ({ desired, layered }) => [...desired.resources.keys(), ...layered.keys()],
  addresses,
  glob: addresses,
  project: ({ aliases }) => [...aliases.projects.keys()],
  tag: ({ desired }) =>
    resourcesOf(desired.resources.values(), 'workspace').flatMap(({ attributes }) => {
      const tags = asListRule<string>(attributes.tags);
      return tags ? namedEntries(tags) : [];
    }),
  team: ({ aliases }) => [...aliases.teams.keys()],
  workspace: workspaces,
  workspaces,
};
