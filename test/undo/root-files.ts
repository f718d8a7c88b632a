import { agentPools, projects as liveProjects, sshKeys, teams } from '../properties/live-organization.ts';
import type { Generated } from './generated.ts';

type Values = Record<string, unknown>;

/**
 * The generated configuration as one root file and split into two: with names, of which nothing needs some, or with the
 * generated ids.
 */
export function rootFiles({ configuration }: Generated, isNamed = true): Record<string, Values> {
  const { workspaces, 'team-access': access, projects, ...generated } = configuration;
  const { one = {}, two = {}, ...others } = access as Values;
  const common = isNamed ? { ...generated, ...aliases } : generated;
  const rest = {
    ...common,
    projects: isNamed ? { ...named(projects as Values), unused: { name: 'Spare' } } : projects,
    workspaces: isNamed ? withPoolNames(workspaces as Values) : workspaces,
  };
  // A project that the other file manages is called by its live name.
  const { One, Two } = liveProjects;
  const apart = isNamed ? { one: { name: 'One' }, two: { name: 'Two' } } : { one: One, two: Two };
  return {
    'root.yaml': { ...rest, 'team-access': access },
    'rest.yaml': { ...rest, 'team-access': others },
    'access.yaml': { ...common, projects: apart, 'team-access': { one, two } },
  };
}

const namesOf = (things: object) => Object.fromEntries(Object.keys(things).map((name) => [name, { name }]));

const aliases: Values = {
  teams: { ...namesOf(teams), unused: { name: 'Former team' } },
  'ssh-keys': { ...namesOf(sshKeys), unused: { name: 'Old key' } },
  'agent-pools': namesOf(agentPools),
};

/** Projects that are not managed under their names. */
function named(projects: Values): Values {
  const nameOf = (id: unknown) => Object.entries(liveProjects).find(([, known]) => known === id)?.[0];
  return Object.fromEntries(
    Object.entries(projects).map(([alias, value]) => [
      alias,
      typeof value === 'string' ? { name: nameOf(value) } : value,
    ]),
  );
}

function withPoolNames(workspaces: Values): Values {
  return JSON.parse(JSON.stringify(workspaces).replaceAll(/"apool-(\w+)"/g, '"$1"'));
}
