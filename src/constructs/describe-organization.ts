import type { IConstruct } from 'constructs';
import { declaredTwice } from '../desired/declarations.ts';
import { type AliasKind, aliasKinds } from '../model/alias-kind.ts';
import { referencePaths } from '../model/attributes.ts';
import { type Diagnostic, problem, type SourceLocation } from '../model/diagnostic.ts';
import { pointerStep } from '../model/json-schema.ts';
import { type ResourceKind, resourceKinds } from '../model/state.ts';
import { quote } from '../model/text.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';
import { type AliasProps, Organization } from './organization.ts';
import { locate, originOf, PlacedValue, type ValueOrigin } from './origin.ts';
import { type OriginTracing, plainValue, report } from './plain-value.ts';
import { Project, Team, TeamAccess } from './project.ts';
import { tagPropsOf } from './tags.ts';
import { readersOf, Workspace } from './workspace.ts';

/*
 * A tree of constructs becomes the data of a root file. Each construct is an entry of a section, with its props as the value;
 * `plainValue` turns props into data of the configuration language. The origin of each value, a construct and a line of the
 * program, is kept by its JSON pointer, so that the problems of the file are reported at the program.
 */

export interface Description {
  readonly sections: Values;
  /** Locations in the program by JSON pointer. */
  readonly places: ReadonlyMap<string, SourceLocation>;
  readonly problems: readonly Diagnostic[];
}

/** @param beside problems and constructs that are not of one organization */
export function describeOrganization(
  organization: Organization,
  beside?: { readonly problems: readonly Diagnostic[]; readonly constructs: readonly IConstruct[] },
): Description {
  const inside = organization.node.findAll();
  const { constructs = [], problems: found = [] } = beside ?? {};
  const problems = [...brokenRules(constructs), ...found, ...brokenRules(inside)];
  const own = originOf(organization);
  const origins = new Map<string, ValueOrigin>([['', own]]);
  const tracing: OriginTracing = {
    origins,
    names: [],
    problems,
    meaningOf(value, at) {
      if (!(value instanceof Workspace || value instanceof Project || value instanceof Team))
        return undefined;
      const meaning = constructValue(value, at.key);
      if (meaning !== undefined) checkOrganization(value, organization, at, tracing);
      return meaning;
    },
  };
  const entries = Object.entries(sectionsOf(organization, inside, tracing)).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const data = plainValue(value, { pointer: `/${key}`, origin: own, key }, tracing);
    return data === undefined ? [] : [[key, data] as const];
  });
  const sections = Object.fromEntries(entries);
  declareNames(sections, tracing);
  return {
    sections,
    places: new Map([...origins].map(([pointer, origin]) => [pointer, locate(origin)])),
    problems,
  };
}

/** Problems from the rules that the user and Attune add with `node.addValidation`. */
function brokenRules(constructs: readonly IConstruct[]): Diagnostic[] {
  return constructs.flatMap((construct) =>
    construct.node
      .validate()
      .map((message) => problem('broken-rule', message, { at: locate(originOf(construct)) })),
  );
}

function sectionsOf(
  organization: Organization,
  inside: readonly IConstruct[],
  tracing: OriginTracing,
): Record<string, unknown> {
  const { name: _name, service, defaults, templates, roles, ...others } = organization.props;
  const { projects, teams, sshKeys, agentPools, vcsConnections, ...rules } = others;
  const references: Readonly<Record<AliasKind, AliasProps | undefined>> = {
    ...{ projects, teams, 'ssh-keys': sshKeys, 'agent-pools': agentPools, 'vcs-connections': vcsConnections },
  };
  const aliased: Partial<Record<AliasKind, readonly (Project | Team)[]>> = {
    projects: inside.filter((one) => one instanceof Project),
    teams: inside.filter((one) => one instanceof Team),
  };
  const origin = originOf(organization);
  const aliases = aliasKinds.map((kind) => {
    const { [kind]: written = {} } = references;
    if (!isRecord(written)) return [kind, written];
    const own = Object.entries(written).map(([key, value]) => ({ key, value, origin }));
    return [kind, sectionOf([...own, ...(aliased[kind] ?? []).map(aliasEntry)], aliasLabel(kind), tracing)];
  });
  return {
    attune: 1,
    organization: organization.name,
    service,
    ...Object.fromEntries(aliases),
    defaults,
    templates: withUserKeys(templates),
    roles: withUserKeys(roles),
    ...Object.assign({}, ...resourceKinds.map((kind) => kindSections[kind](inside, tracing))),
    ...rules,
  };
}

function withUserKeys(section: unknown): unknown {
  return isRecord(section) ? new Map(Object.entries(section)) : section;
}

/** An alias of the same text makes `{name}` a name, because it wins over an id. Another alias of the text is a duplicate. */
function declareNames(sections: Record<string, unknown>, { names, origins, problems }: OriginTracing): void {
  for (const { kind, name, origin } of names) {
    const section = sections[kind] ?? {};
    if (!isRecord(section)) continue;
    const pointer = `/${kind}/${pointerStep(name)}`;
    const known = Object.hasOwn(section, name) ? section[name] : undefined;
    if (known === undefined) {
      sections[kind] = { ...section, [name]: { name } };
      origins.set(pointer, origin);
    } else if (!isRecord(known) || known.name !== name) {
      const place = locate(origins.get(pointer) ?? origin);
      problems.push(...declaredTwice(aliasLabel(kind)(quote(name)), place, locate(origin)));
    }
  }
}

function aliasLabel(kind: AliasKind) {
  return (name: string) => `the alias ${name} under ${kind}`;
}

/** The section of each kind. A project is one of the aliases, managed or not. */
const kindSections: Readonly<
  Record<ResourceKind, (inside: readonly IConstruct[], tracing: OriginTracing) => Record<string, unknown>>
> = {
  project: () => ({}),
  workspace: (inside, tracing) => ({
    workspaces: sectionOf(
      inside.filter((one) => one instanceof Workspace).map(workspaceEntry),
      (name) => `the workspace ${name}`,
      tracing,
    ),
  }),
  'team-access': (inside, tracing) => ({ 'team-access': teamAccess(inside, tracing) }),
};

interface SectionEntry {
  readonly key: string;
  readonly value: unknown;
  readonly origin: ValueOrigin;
}

/** Entries as a section; undefined if there are none. A duplicate is reported at both places. */
function sectionOf(
  entries: readonly SectionEntry[],
  label: (name: string) => string,
  tracing: OriginTracing,
): ReadonlyMap<string, PlacedValue<unknown>> | undefined {
  const section = new Map<string, PlacedValue<unknown>>();
  for (const { key, value, origin } of entries) {
    if (!isName(key, { origin, key: 'name' }, tracing)) continue;
    const known = section.get(key);
    if (!known) section.set(key, new PlacedValue(value, origin));
    else tracing.problems.push(...declaredTwice(label(quote(key)), locate(known.origin), locate(origin)));
  }
  return section.size > 0 ? section : undefined;
}

/** Reports another type; undefined is reported already. */
function isName(value: unknown, at: Omit<SectionEntry, 'value'>, tracing: OriginTracing): value is string {
  if (value !== undefined && typeof value !== 'string')
    report(tracing, at, 'wrong-type', `${quote(at.key)} must be text`);
  return typeof value === 'string';
}

function aliasEntry(construct: Project | Team): SectionEntry {
  const { alias: key, props } = construct;
  const origin = originOf(construct);
  if (!(construct instanceof Project && construct.props.manage))
    return { key, value: props.id ?? { name: props.name ?? key }, origin };
  const { alias: _alias, ownsAccess: _ownsAccess, ...settings } = construct.props;
  const name = settings.name ?? (settings.id === undefined ? key : undefined);
  return { key, value: { ...settings, name }, origin };
}

function workspaceEntry(workspace: Workspace): SectionEntry {
  const { name: _name, ...props } = workspace.props;
  const inherited = {
    project: props.project === undefined ? Project.of(workspace) : props.project,
    ...tagPropsOf(workspace),
    remoteStateConsumers: consumersOf(workspace),
  };
  // A tombstone inherits nothing from its scopes, because its workspace is deleted.
  const value = props.state === 'absent' ? props : { ...props, ...inherited };
  return { key: workspace.name, value, origin: originOf(workspace) };
}

function consumersOf(workspace: Workspace): unknown {
  const own: unknown = workspace.props.remoteStateConsumers;
  const allowed = readersOf(workspace);
  // Problems are reported for the whole list, so it has the location of the first call.
  if (own === undefined) return allowed[0] && new PlacedValue(allowed, allowed[0].origin);
  // The schema reports a list of another type.
  const joined = (list: unknown) => (Array.isArray(list) ? [...list, ...allowed] : list);
  if (!isRecord(own)) return joined(own);
  const { add = [], exactly } = own;
  return exactly === undefined ? { ...own, add: joined(add) } : { ...own, exactly: joined(exactly) };
}

function teamAccess(
  inside: readonly IConstruct[],
  tracing: OriginTracing,
): ReadonlyMap<string, unknown> | undefined {
  const byProject = new Map<string, SectionEntry[]>();
  for (const { alias, props } of inside.filter((one) => one instanceof Project))
    if (props.ownsAccess) byProject.set(alias, []);
  for (const grant of inside.filter((one) => one instanceof TeamAccess)) {
    const origin = originOf(grant);
    const { project = Project.of(grant), team, access, ...others } = grant.props;
    const nameOf = (key: string, value: unknown) =>
      plainValue(value, { pointer: '', origin, key, holds: referencePaths[key] }, tracing);
    if (project === undefined) {
      const hint = 'set `project`, or create the access inside a Project';
      report(tracing, { origin }, 'missing-key', 'team access requires a project', hint);
      continue;
    }
    const [projectName, key] = [nameOf('project', project), nameOf('team', team)];
    if (!isName(projectName, { origin, key: 'project' }, tracing)) continue;
    if (!isName(key, { origin, key: 'team' }, tracing)) continue;
    // The level alone if there is nothing beside it.
    const isLevel = access !== 'custom' && Object.values(others).every((value) => value === undefined);
    const entry = { key, value: isLevel ? access : { access, ...others }, origin };
    byProject.set(projectName, [...(byProject.get(projectName) ?? []), entry]);
  }
  if (byProject.size === 0) return undefined;
  const label = (project: string) => (team: string) => `the access of the team ${team} to ${quote(project)}`;
  const sections = [...byProject].map(
    ([project, entries]) => [project, sectionOf(entries, label(project), tracing) ?? new Map()] as const,
  );
  return new Map(sections);
}

/** A referenced construct must belong to the same organization, and to the same app. */
function checkOrganization(
  value: Referent,
  organization: Organization,
  at: Pick<SectionEntry, 'origin'>,
  tracing: OriginTracing,
): void {
  const other = Organization.of(value);
  if (other === organization) return;
  const name = quote(value instanceof Workspace ? value.name : value.alias);
  const isSame = other.name === organization.name;
  report(
    tracing,
    at,
    'other-organization',
    `${name} belongs to ${isSame ? 'another construct of the organization' : 'the organization'} ${quote(other.name)}, but is used in ${quote(organization.name)}`,
    'use constructs of one organization: state and access cannot be shared between organizations',
  );
}

type Referent = Workspace | Project | Team;

const consumerKeys: ReadonlySet<string> = new Set(['remote-state-consumers', 'exactly', 'add', 'remove']);
const projectKeys: ReadonlySet<string> = new Set(['project', 'projects']);

/** The value of a construct under a key of the language. Undefined if its class is not allowed there. */
function constructValue(value: Referent, key: string): Value | undefined {
  if (value instanceof Workspace) return consumerKeys.has(key) ? value.name : undefined;
  if (value instanceof Team) return key === 'team' ? value.alias : undefined;
  // A project as a consumer means all of its workspaces.
  if (consumerKeys.has(key)) return { project: value.alias };
  return projectKeys.has(key) ? value.alias : undefined;
}
