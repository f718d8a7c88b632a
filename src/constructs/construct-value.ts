import type { Value } from '../model/value.ts';
import { Project } from './project.ts';
import { Team } from './team.ts';
import { Workspace } from './workspace.ts';

/** The constructs that may stand in the place of a value. */
export type Referent = Workspace | Project | Team;

const consumerKeys: ReadonlySet<string> = new Set(['remote-state-consumers', 'add', 'remove']);
const projectKeys: ReadonlySet<string> = new Set(['project', 'projects']);

export function isReferent(value: object): value is Referent {
  return value instanceof Workspace || value instanceof Project || value instanceof Team;
}

/** What a construct stands for under a key of the language. Undefined where one of its class may not stand. */
export function constructValue(value: Referent, key: string): Value | undefined {
  if (value instanceof Workspace) return consumerKeys.has(key) ? value.name : undefined;
  if (value instanceof Team) return key === 'team' ? value.alias : undefined;
  // As a consumer a project stands for all of its workspaces.
  if (consumerKeys.has(key)) return { project: value.alias };
  return projectKeys.has(key) ? value.alias : undefined;
}
