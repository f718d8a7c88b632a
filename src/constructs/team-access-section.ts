import { quote } from '../desired/text.ts';
import { type Entry, grantValue, sectionOf } from './entries.ts';
import { type At, plainValue, report, type Tracing } from './plain-value.ts';
import { Project } from './project.ts';
import { originOf } from './source-location.ts';
import type { TeamAccess } from './team-access.ts';

/** Team access by project and team, as the language has it. */
export function teamAccessSection(
  projects: readonly Project[],
  grants: readonly TeamAccess[],
  tracing: Tracing,
): ReadonlyMap<string, unknown> | undefined {
  const byProject = new Map<string, Entry[]>();
  for (const { alias, props } of projects) if (props.ownsAccess) byProject.set(alias, []);
  for (const grant of grants) {
    const origin = originOf(grant);
    const at: At = { pointer: '', origin, key: 'team-access', isReference: true };
    const { project = Project.of(grant), team } = grant.props;
    if (project === undefined) {
      const hint = 'give it a project, or make it inside of a Project';
      report(tracing, at, { code: 'missing-key', message: 'the access needs a project', hint });
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
