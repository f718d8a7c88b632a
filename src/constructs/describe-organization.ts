import { quote } from '../desired/text.ts';
import { type AliasKind, aliasKinds } from '../model/alias-kind.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import type { Values } from '../model/value.ts';
import { brokenRules } from './broken-rules.ts';
import { constructValue, isReferent, type Referent } from './construct-value.ts';
import { aliasEntry, type Entry, ofClass, sectionOf, workspaceEntry } from './entries.ts';
import { Organization } from './organization.ts';
import type { Origin } from './placed.ts';
import { type ProgramProblem, plainValue, report, type Tracing } from './plain-value.ts';
import { Project } from './project.ts';
import { locate, originOf } from './source-location.ts';
import { Team } from './team.ts';
import { TeamAccess } from './team-access.ts';
import { teamAccessSection } from './team-access-section.ts';
import { Workspace } from './workspace.ts';

/** What a program declares for one organization. All places are from the working folder. */
export interface Description {
  /** The sections of a root file, in order. */
  readonly sections: Values;
  /** JSON pointer -> where the program made it. */
  readonly places: ReadonlyMap<string, SourceLocation>;
  readonly problems: readonly ProgramProblem[];
}

/**
 * Reads the tree below an organization as data of the configuration language.
 *
 * @param found What is wrong already.
 */
export function describeOrganization(
  organization: Organization,
  found: readonly ProgramProblem[],
): Description {
  const problems = [...found, ...brokenRules(organization.node.findAll())];
  const own = originOf(organization);
  const origins = new Map<string, Origin>([['', own]]);
  const tracing: Tracing = {
    origins,
    meaningOf: (value, at) => {
      if (!isReferent(value)) return undefined;
      const meaning = constructValue(value, at.key);
      if (meaning !== undefined)
        checkOrganization(value, organization, (problem) => report(tracing, at, problem));
      return meaning;
    },
    problems,
  };
  const sections = Object.entries(sectionsOf(organization, tracing)).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const data = plainValue(value, { pointer: `/${key}`, origin: own, key }, tracing);
    return data === undefined ? [] : [[key, data] as const];
  });
  return {
    sections: Object.fromEntries(sections),
    places: new Map([...origins].map(([pointer, origin]) => [pointer, locate(origin)])),
    problems,
  };
}

function sectionsOf(organization: Organization, tracing: Tracing): Record<string, unknown> {
  const { service, defaults, templates, scope, prune, limits } = organization.props;
  const inside = organization.node.findAll();
  const projects = ofClass(inside, Project);
  const aliased: Partial<Record<AliasKind, readonly (Project | Team)[]>> = {
    projects,
    teams: ofClass(inside, Team),
  };
  const workspaces = ofClass(inside, Workspace).map(workspaceEntry);
  return {
    attune: 1,
    organization: organization.name,
    service,
    ...Object.fromEntries(
      aliasKinds.map((kind) => [
        kind,
        sectionOf(
          [...aliasEntries(organization, kind), ...(aliased[kind] ?? []).map(aliasEntry)],
          (name) => `the alias ${name} under ${kind}`,
          tracing.problems,
        ),
      ]),
    ),
    defaults,
    templates: templates && new Map(Object.entries(templates)),
    workspaces: sectionOf(workspaces, (name) => `the workspace ${name}`, tracing.problems),
    'team-access': teamAccessSection(projects, ofClass(inside, TeamAccess), tracing),
    scope,
    prune,
    limits,
  };
}

/** The aliases that the organization's own props give. */
function aliasEntries(organization: Organization, kind: AliasKind): Entry[] {
  const { projects, teams, sshKeys, agentPools, vcsConnections } = organization.props;
  const props = {
    projects,
    teams,
    'ssh-keys': sshKeys,
    'agent-pools': agentPools,
    'vcs-connections': vcsConnections,
  };
  const origin = originOf(organization);
  return Object.entries(props[kind] ?? {}).map(([key, value]) => ({ key, value, origin }));
}

/** What is referred to has to be of the same organization, and of the same app. */
function checkOrganization(
  value: Referent,
  organization: Organization,
  report: (problem: Omit<ProgramProblem, 'location'>) => void,
): void {
  const other = Organization.of(value);
  if (other === organization) return;
  const name = quote(value instanceof Workspace ? value.name : value.alias);
  const whose =
    other.name === organization.name ? 'another construct of the organization' : 'the organization';
  report({
    code: 'other-organization',
    message: `${name} is of ${whose} ${quote(other.name)}, and is used in ${quote(organization.name)}`,
    hint: 'state is shared and access given inside of one organization',
  });
}
