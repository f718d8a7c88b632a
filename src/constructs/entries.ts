import type { IConstruct } from 'constructs';
import { declaredTwice } from '../desired/declarations.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { quote } from '../model/text.ts';
import { locate, originOf, PlacedValue, type ValueOrigin } from './call-site.ts';
import { type At, type OriginTracing, plainValue, report } from './plain-value.ts';
import { Project, type Team, type TeamAccess } from './project.ts';
import { bindingsOf, tagsOf } from './tags.ts';
import { readersOf, type Workspace } from './workspace.ts';

/** One key of a section, and the construct that declares it. */
export interface SectionEntry {
  readonly key: string;
  readonly value: unknown;
  readonly origin: ValueOrigin;
}

/** Entries as a section. A duplicate is reported at both places. */
export function sectionOf(
  entries: readonly SectionEntry[],
  label: (name: string) => string,
  problems: Diagnostic[],
): ReadonlyMap<string, PlacedValue<unknown>> | undefined {
  const section = new Map<string, PlacedValue<unknown>>();
  for (const { key, value, origin } of entries) {
    const known = section.get(key);
    if (!known) section.set(key, new PlacedValue(value, origin));
    else problems.push(...declaredTwice(label(quote(key)), locate(known.origin), locate(origin)));
  }
  return section.size > 0 ? section : undefined;
}

/** A project or a team under its alias: its id, or the name to look it up by. */
export function aliasEntry(construct: Project | Team): SectionEntry {
  const { alias, props } = construct;
  const origin = originOf(construct);
  if (construct instanceof Project && construct.props.manage) {
    const { alias: _alias, ownsAccess: _ownsAccess, ...settings } = construct.props;
    const name = settings.name ?? (settings.id === undefined ? alias : undefined);
    return { key: alias, value: { ...settings, name }, origin };
  }
  return { key: alias, value: props.id ?? { name: props.name ?? alias }, origin };
}

export function workspaceSectionEntry(workspace: Workspace): SectionEntry {
  const { name, ...props } = workspace.props;
  const inherited = {
    project: props.project ?? Project.of(workspace),
    tags: tagsOf(workspace),
    tagBindings: bindingsOf(workspace),
    remoteStateConsumers: consumersOf(workspace),
  };
  // A tombstone inherits nothing from its scopes, because its workspace is deleted.
  const value = props.state === 'absent' ? props : { ...props, ...inherited };
  return { key: workspace.name, value, origin: originOf(workspace) };
}

/** The consumers in the props, and those that `allowStateReadBy` adds. */
function consumersOf(workspace: Workspace): unknown {
  const own = workspace.props.remoteStateConsumers;
  const allowed = readersOf(workspace);
  // Problems are reported for the whole list, so it has the location of the first call.
  if (own === undefined) return allowed[0] && new PlacedValue(allowed, allowed[0].origin);
  if ('length' in own) return [...own, ...allowed];
  if ('exactly' in own) return { exactly: [...own.exactly, ...allowed] };
  return { ...own, add: [...(own.add ?? []), ...allowed] };
}

/** The level alone if there is nothing beside it. */
function grantValue({ props }: TeamAccess): unknown {
  const { access, projectAccess, workspaceAccess, until, reason } = props;
  const others = { projectAccess, workspaceAccess, until, reason };
  const isLevel = access !== 'custom' && Object.values(others).every((value) => value === undefined);
  return isLevel ? access : { access, ...others };
}

/** All constructs of a class, outer ones first. */
export function ofClass<T extends IConstruct>(
  constructs: readonly IConstruct[],
  made: abstract new (...parameters: never[]) => T,
): T[] {
  return constructs.filter((construct) => construct instanceof made) as unknown as T[];
}

/** Team access by project and team, as in the configuration language. */
export function teamAccessSection(
  projects: readonly Project[],
  grants: readonly TeamAccess[],
  tracing: OriginTracing,
): ReadonlyMap<string, unknown> | undefined {
  const byProject = new Map<string, SectionEntry[]>();
  for (const { alias, props } of projects) if (props.ownsAccess) byProject.set(alias, []);
  for (const grant of grants) {
    const origin = originOf(grant);
    const at: At = { pointer: '', origin, key: 'team-access', holds: 'reference' };
    const { project = Project.of(grant), team } = grant.props;
    if (project === undefined) {
      const hint = 'set `project`, or create the access inside a Project';
      report(tracing, at, 'missing-key', 'team access requires a project', hint);
      continue;
    }
    const projectName = plainValue(project, { ...at, key: 'project' }, tracing);
    const teamName = plainValue(team, { ...at, key: 'team' }, tracing);
    if (typeof projectName !== 'string' || typeof teamName !== 'string') continue;
    const entries = byProject.get(projectName) ?? [];
    byProject.set(projectName, entries);
    entries.push({ key: teamName, value: grantValue(grant), origin });
  }
  if (byProject.size === 0) return undefined;
  const label = (project: string) => (team: string) => `the access of the team ${team} to ${quote(project)}`;
  return new Map(
    [...byProject].map(([project, entries]) => [
      project,
      sectionOf(entries, label(project), tracing.problems) ?? new Map(),
    ]),
  );
}
