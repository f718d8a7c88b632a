import type { IConstruct } from 'constructs';
import { declaredTwice } from '../desired/declarations.ts';
import { quote } from '../desired/text.ts';
import { type Origin, Placed } from './placed.ts';
import type { ProgramProblem } from './plain-value.ts';
import { Project } from './project.ts';
import { locate, originOf } from './source-location.ts';
import { tagsOf } from './tags.ts';
import type { Team } from './team.ts';
import type { TeamAccess } from './team-access.ts';
import { readersOf, type Workspace } from './workspace.ts';

/** One key of a section and what made it. */
export interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly origin: Origin;
}

/** Entries as a section. What stands twice is wrong at both places. */
export function sectionOf(
  entries: readonly Entry[],
  label: (name: string) => string,
  problems: ProgramProblem[],
): ReadonlyMap<string, Placed<unknown>> | undefined {
  const section = new Map<string, Placed<unknown>>();
  for (const { key, value, origin } of entries) {
    const known = section.get(key);
    if (!known) section.set(key, new Placed(value, origin));
    else problems.push(...declaredTwice(label(quote(key)), locate(known.origin), locate(origin)));
  }
  return section.size > 0 ? section : undefined;
}

/** A project or a team under its alias: its id, or the name to look it up by. */
export function aliasEntry(construct: Project | Team): Entry {
  const { alias, props } = construct;
  return { key: alias, value: props.id ?? { name: props.name ?? alias }, origin: originOf(construct) };
}

export function workspaceEntry(workspace: Workspace): Entry {
  const { name, ...props } = workspace.props;
  const inherited = {
    project: props.project ?? Project.of(workspace),
    tags: tagsOf(workspace),
    remoteStateConsumers: consumersOf(workspace),
  };
  // A tombstone takes nothing from where it stands: it says that the workspace goes.
  const value = props.state === 'absent' ? props : { ...props, ...inherited };
  return { key: workspace.name, value, origin: originOf(workspace) };
}

/** What the props name, and whom `allowStateReadBy` let in besides. */
function consumersOf(workspace: Workspace): unknown {
  const own = workspace.props.remoteStateConsumers;
  const allowed = readersOf(workspace);
  // What the reads find wrong is told of the whole list: it stands where the first was let in.
  if (own === undefined) return allowed[0] && new Placed(allowed, allowed[0].origin);
  if ('length' in own) return [...own, ...allowed];
  return { ...own, add: [...(own.add ?? []), ...allowed] };
}

/** The level alone where there is no more to say. */
export function grantValue({ props: { access, projectAccess, workspaceAccess } }: TeamAccess): unknown {
  const isLevel = access !== 'custom' && projectAccess === undefined && workspaceAccess === undefined;
  return isLevel ? access : { access, projectAccess, workspaceAccess };
}

/** All constructs of a class, from the outside in. */
export function ofClass<T extends IConstruct>(
  constructs: readonly IConstruct[],
  made: abstract new (...parameters: never[]) => T,
): T[] {
  return constructs.filter((construct) => construct instanceof made) as unknown as T[];
}
