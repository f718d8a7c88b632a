// Organizations of any size, as the YAML that declares them and the seed that makes them live.

const project = ({ prefix = '' }, index) => `prj-${prefix}${String(index).padStart(3, '0')}`;
const team = ({ prefix = '' }, index) => `team-${prefix}${String(index).padStart(2, '0')}`;
const workspace = (index) => `service-${String(index).padStart(5, '0')}`;

/**
 * @param {{workspaces: number, withConsumers: number, projects: number, teamsPerProject: number, tagged?: boolean, prefix?: string}} size
 *   `tagged`: in the terraform dialect, with managed projects and key/value tags; `prefix`: makes the ids unique
 * @returns {{yaml: string, seed: object}} a configuration and a live organization that agree
 */
export function organization(size) {
  const seed = { organization: 'acme', projects: {}, teams: {}, workspaces: {}, 'team-access': {} };
  const lines = ['attune: 1', 'organization: acme', ...projectLines(size, seed), 'workspaces:'];
  for (let index = 0; index < size.teamsPerProject; index++) seed.teams[`team-${index}`] = team(size, index);
  for (let index = 0; index < size.workspaces; index++) {
    const name = workspace(index);
    const consumers =
      index < size.withConsumers
        ? [1, 2, 3].map((step) => workspace((index + step) % size.workspaces))
        : undefined;
    const live = {
      project: project(size, index % size.projects),
      description: `Service ${index} of the estate`,
      'execution-mode': 'remote',
      'iac-version': '~> 1.9.0',
      'auto-apply': index % 2 === 0,
      tags: ['managed', index % 2 === 0 ? 'prod' : 'staging'],
      ...(size.tagged && {
        'tag-bindings': { env: index % 2 === 0 ? 'prod' : 'staging', service: `s${index}` },
      }),
      ...(consumers && { 'remote-state-consumers': consumers }),
    };
    seed.workspaces[name] = live;
    lines.push(...workspaceLines(name, live));
  }
  lines.push(...accessLines(size, seed));
  return { yaml: `${lines.join('\n')}\n`, seed };
}

function projectLines(size, seed) {
  const lines = [];
  for (let index = 0; index < size.projects; index++) {
    const [id, name] = [project(size, index), `Project ${index}`];
    seed.projects[name] = size.tagged ? { id, 'tag-bindings': { team: `t${index}` } } : id;
    lines.push(`  ${id}: {name: ${name}, id: ${id}, manage: true, tag-bindings: {team: t${index}}}`);
  }
  return size.tagged ? ['service: {dialect: terraform}', 'projects:', ...lines] : [];
}

function accessLines(size, seed) {
  if (size.teamsPerProject === 0) return [];
  const lines = ['team-access:'];
  for (let index = 0; index < size.projects; index++) {
    lines.push(`  ${project(size, index)}:`);
    seed['team-access'][project(size, index)] = {};
    for (let member = 0; member < size.teamsPerProject; member++) {
      seed['team-access'][project(size, index)][team(size, member)] = 'write';
      lines.push(`    ${team(size, member)}: write`);
    }
  }
  return lines;
}

function workspaceLines(name, attributes) {
  const lines = [`  ${name}:`];
  for (const [key, value] of Object.entries(attributes)) {
    const text = Array.isArray(value)
      ? `[${value.join(', ')}]`
      : typeof value === 'string' || (typeof value === 'object' && value !== null)
        ? JSON.stringify(value)
        : value;
    lines.push(`    ${key}: ${text}`);
  }
  return lines;
}

/**
 * Workspaces that are not live yet, each with tags and with consumers among themselves.
 *
 * @param bindings key/value tags of each, in the terraform dialect
 */
export function newWorkspaces(count, prefix, bindings) {
  const service = bindings ? ['service: {dialect: terraform}'] : [];
  const lines = ['attune: 1', 'organization: acme', ...service, 'workspaces:'];
  for (let index = 0; index < count; index++) {
    lines.push(
      ...workspaceLines(`${prefix}-${index}`, {
        'auto-apply': true,
        tags: ['managed', 'new'],
        ...(bindings && { 'tag-bindings': bindings }),
        'remote-state-consumers': [`${prefix}-${(index + 1) % count}`],
      }),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** What one pull request declares for a new team: its project, its workspaces and the access of three teams. */
export function newTeam(workspaces, consumerLists) {
  const lines = [
    'attune: 1',
    'organization: acme',
    'service: {dialect: terraform}',
    'projects: {shop: {name: Shop, manage: true, tag-bindings: {cost-center: "101"}}}',
    'team-access: {shop: {team-build: write, team-audit: read, team-lead: admin}}',
    'workspaces:',
  ];
  for (let index = 0; index < workspaces; index++) {
    lines.push(
      ...workspaceLines(`shop-${index}`, {
        project: 'shop',
        tags: ['shop', 'new'],
        'tag-bindings': { env: 'prod' },
        ...(index < consumerLists && { 'remote-state-consumers': [`shop-${index + 1}`] }),
      }),
    );
  }
  return `${lines.join('\n')}\n`;
}
