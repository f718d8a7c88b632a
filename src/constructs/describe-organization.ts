import type { IConstruct } from 'constructs';
import { type AliasKind, aliasKinds } from '../model/alias-kind.ts';
import { type Diagnostic, problem, type SourceLocation } from '../model/diagnostic.ts';
import { type ResourceKind, resourceKinds } from '../model/state.ts';
import { quote } from '../model/text.ts';
import type { Value, Values } from '../model/value.ts';
import { locate, originOf, type ValueOrigin } from './call-site.ts';
import {
  aliasEntry,
  ofClass,
  type SectionEntry,
  sectionOf,
  teamAccessSection,
  workspaceSectionEntry,
} from './entries.ts';
import { Organization } from './organization.ts';
import { type OriginTracing, plainValue, report } from './plain-value.ts';
import { Project, Team, TeamAccess } from './project.ts';
import { Workspace } from './workspace.ts';

/** The declarations of a program for one organization. All paths are relative to the working folder. */
export interface Description {
  /** The sections of a root file, in order. */
  readonly sections: Values;
  /** Locations in the program by JSON pointer. */
  readonly places: ReadonlyMap<string, SourceLocation>;
  readonly problems: readonly Diagnostic[];
}

/**
 * Converts the tree below an organization to data of the configuration language.
 *
 * @param found problems that are known already
 */
export function describeOrganization(organization: Organization, found: readonly Diagnostic[]): Description {
  const problems = [...found, ...brokenRules(organization.node.findAll())];
  const own = originOf(organization);
  const origins = new Map<string, ValueOrigin>([['', own]]);
  const tracing: OriginTracing = {
    origins,
    meaningOf: (value, at) => {
      if (!isReferent(value)) return undefined;
      const meaning = constructValue(value, at.key);
      if (meaning !== undefined)
        checkOrganization(value, organization, (...found) => report(tracing, at, ...found));
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

function sectionsOf(organization: Organization, tracing: OriginTracing): Record<string, unknown> {
  const { service, defaults, templates, roles, scope, prune, limits, guards, notify, policies } =
    organization.props;
  const { exceptions, freeze } = organization.props;
  const inside = organization.node.findAll();
  const aliased: Partial<Record<AliasKind, readonly (Project | Team)[]>> = {
    projects: ofClass(inside, Project),
    teams: ofClass(inside, Team),
  };
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
    roles: roles && new Map(Object.entries(roles)),
    ...Object.fromEntries(
      resourceKinds.flatMap((kind) => {
        const section = kindSections[kind];
        return section ? [[section.key, section.read(inside, tracing)]] : [];
      }),
    ),
    scope,
    prune,
    limits,
    guards,
    notify,
    exceptions,
    freeze,
    policies,
  };
}

/** The section of a root file that declares the resources of a kind. */
interface KindSection {
  readonly key: string;
  readonly read: (
    inside: readonly IConstruct[],
    tracing: OriginTracing,
  ) => ReadonlyMap<string, unknown> | undefined;
}

const kindSections: Readonly<Record<ResourceKind, KindSection | undefined>> = {
  // A project is part of the aliases, managed or not.
  project: undefined,
  workspace: {
    key: 'workspaces',
    read: (inside, { problems }) =>
      sectionOf(
        ofClass(inside, Workspace).map(workspaceSectionEntry),
        (name) => `the workspace ${name}`,
        problems,
      ),
  },
  'team-access': {
    key: 'team-access',
    read: (inside, tracing) =>
      teamAccessSection(ofClass(inside, Project), ofClass(inside, TeamAccess), tracing),
  },
};

/** The aliases in the organization's own props. */
function aliasEntries(organization: Organization, kind: AliasKind): SectionEntry[] {
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

/** A referenced construct must belong to the same organization, and to the same app. */
function checkOrganization(
  value: Referent,
  organization: Organization,
  report: (code: string, message: string, hint: string) => void,
): void {
  const other = Organization.of(value);
  if (other === organization) return;
  const name = quote(value instanceof Workspace ? value.name : value.alias);
  const whose =
    other.name === organization.name ? 'another construct of the organization' : 'the organization';
  report(
    'other-organization',
    `${name} belongs to ${whose} ${quote(other.name)}, but is used in ${quote(organization.name)}`,
    'use constructs of one organization: state and access cannot be shared between organizations',
  );
}

/** Problems from the rules that the user and Attune add with `node.addValidation`. */
export function brokenRules(constructs: readonly IConstruct[]): Diagnostic[] {
  return constructs.flatMap((construct) =>
    construct.node
      .validate()
      .map((message) => problem('broken-rule', message, { at: locate(originOf(construct)) })),
  );
}

/** The constructs that may be used as a value. */
type Referent = Workspace | Project | Team;

const consumerKeys: ReadonlySet<string> = new Set(['remote-state-consumers', 'add', 'remove']);
const projectKeys: ReadonlySet<string> = new Set(['project', 'projects']);

function isReferent(value: object): value is Referent {
  return value instanceof Workspace || value instanceof Project || value instanceof Team;
}

/** The value of a construct under a key of the language. Undefined if its class is not allowed there. */
function constructValue(value: Referent, key: string): Value | undefined {
  if (value instanceof Workspace) return consumerKeys.has(key) ? value.name : undefined;
  if (value instanceof Team) return key === 'team' ? value.alias : undefined;
  // A project as a consumer means all of its workspaces.
  if (consumerKeys.has(key)) return { project: value.alias };
  return projectKeys.has(key) ? value.alias : undefined;
}
