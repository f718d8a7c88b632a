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
    projects: isNamed ? { ...withNames(projects as Values), spare: { name: 'Spare' } } : projects,
    workspaces: isNamed ? keysByName(workspaces as Values) : workspaces,
  };
  // A project that the other file manages is called by its live name.
  const apart = isNamed
    ? { one: { name: 'One' }, two: { name: 'Two' }, spare: { name: 'Spare' } }
    : { one: 'prj-1', two: 'prj-2' };
  return {
    'root.yaml': { ...rest, 'team-access': access },
    'rest.yaml': { ...rest, 'team-access': others },
    'access.yaml': { ...common, projects: apart, 'team-access': { one, two } },
  };
}

const aliases: Values = {
  teams: { first: { name: 'one' }, second: { name: 'two' }, spare: { name: 'Former team' } },
  'ssh-keys': { key: { name: 'one' }, other: { name: 'two' }, spare: { name: 'Old key' } },
  'agent-pools': { pool: { name: 'one' }, large: { name: 'two' } },
};

function withNames(projects: Values): Values {
  const live: Values = { 'prj-1': 'One', 'prj-2': 'Two', 'prj-3': 'Three' };
  return Object.fromEntries(
    Object.entries(projects).map(([alias, value]) => [
      alias,
      typeof value === 'string' ? { name: live[value] } : value,
    ]),
  );
}

/** SSH keys and agent pools under their names. */
function keysByName(workspaces: Values): Values {
  const text = JSON.stringify(workspaces);
  return JSON.parse(
    text.replaceAll(/"(?:sshkey|apool)-([12])"/g, (_, id) => (id === '1' ? '"one"' : '"two"')),
  );
}
