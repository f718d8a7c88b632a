import type { OrganizationSeed } from '../../src/emulator/index.ts';
import { workspaceAttributes } from '../../src/model/attribute-table.ts';
import type { AttributePath } from '../../src/model/attribute-values.ts';
import { attributePaths, isAttributePath } from '../../src/model/attributes.ts';

type Values = Readonly<Record<string, unknown>>;

const own = { 'setting-overwrites.execution-mode': true, 'setting-overwrites.agent-pool': true };
const inherited = { 'setting-overwrites.execution-mode': false, 'setting-overwrites.agent-pool': false };
const repository = { 'vcs-repo.identifier': 'acme/app', 'vcs-repo.oauth-token-id': 'ot-github' };
/** The keys without which there is no repository. */
const connection = new Set([...Object.keys(repository), 'vcs-repo.vcs-app-installation-id']);

/** A value that is not the default, beside what it needs. Without a row it is the opposite of a boolean default. */
const samples: Readonly<Partial<Record<AttributePath, Values>>> = {
  'agent-pool-id': { 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' },
  'auto-destroy-at': { 'auto-destroy-at': '2099-01-02T03:04:05Z' },
  'auto-destroy-activity-duration': { 'auto-destroy-activity-duration': '3d' },
  description: { description: 'words' },
  'execution-mode': { 'execution-mode': 'local' },
  'source-name': { 'source-name': 'attune', 'source-url': 'https://example.com' },
  'source-url': { 'source-name': 'attune', 'source-url': 'https://example.com' },
  'iac-version': { 'iac-version': '1.5.7' },
  'trigger-patterns': { 'trigger-patterns': ['a'] },
  'trigger-prefixes': { 'trigger-prefixes': ['a'] },
  'working-directory': { 'working-directory': 'deep' },
  'vcs-repo.branch': { ...repository, 'vcs-repo.branch': 'main' },
  'vcs-repo.identifier': repository,
  'vcs-repo.ingress-submodules': { ...repository, 'vcs-repo.ingress-submodules': true },
  'vcs-repo.oauth-token-id': repository,
  'vcs-repo.vcs-app-installation-id': {
    'vcs-repo.identifier': 'acme/app',
    'vcs-repo.vcs-app-installation-id': 'ghain-1',
  },
  'vcs-repo.tags-regex': { ...repository, 'vcs-repo.tags-regex': 'v1', 'file-triggers-enabled': false },
  'setting-overwrites.execution-mode': { 'execution-mode': 'local', ...own },
  'setting-overwrites.agent-pool': { 'execution-mode': 'agent', 'agent-pool-id': 'apool-1', ...own },
};

const relations: Readonly<Record<string, Values>> = {
  'setting-overwrites': inherited,
  tags: { tags: ['a'] },
  'tag-bindings': { 'tag-bindings': { env: 'prod' } },
  'remote-state-consumers': { 'remote-state-consumers': ['consumer'] },
  'ssh-key': { 'ssh-key': 'sshkey-1' },
};

/** What clears a setting; `undefined` if only a replacement does. */
function clearedValue(path: string): unknown {
  if (path === 'tags' || path === 'remote-state-consumers') return [];
  if (path === 'tag-bindings') return {};
  if (path === 'ssh-key') return null;
  if (!isAttributePath(path)) return undefined;
  const { nullable, default: byDefault } = workspaceAttributes[path];
  return nullable ? null : (byDefault ?? undefined);
}

/** What a workspace declares beside a setting: nothing, or changes of one or both of its resources. */
const besides: readonly Values[] = [
  {},
  { description: 'changed', 'auto-apply': true, 'project-remote-state': true },
  { 'working-directory': 'changed', 'execution-mode': 'remote' },
];

interface States {
  readonly workspaces: Readonly<Record<string, Values>>;
  readonly seed: OrganizationSeed;
}

/**
 * A workspace for each setting, each live state of it (missing, without it, with it, in a project that hands settings down)
 * and each declaration (the value, its default or `null`, nothing).
 *
 * @param turn which of three settings is declared beside the first one; the following take turns
 */
export function everyState(turn: number): States {
  const workspaces: Record<string, Values> = { consumer: {} };
  const live: Record<string, Values> = { consumer: {} };
  let count = turn;
  const opposites = attributePaths.map(
    (path) => [path, { [path]: !workspaceAttributes[path].default }] as const,
  );
  for (const [path, sample] of Object.entries({
    ...Object.fromEntries(opposites),
    ...samples,
    ...relations,
  })) {
    const repository = Object.fromEntries(Object.entries(sample).filter(([key]) => connection.has(key)));
    const declarations = [sample, { ...repository, [path]: clearedValue(path) }, {}];
    const states = [undefined, repository, sample, { project: 'Inherited' }];
    for (const [row, state] of states.entries()) {
      for (const [column, declared] of declarations.entries()) {
        const name = `${path.replaceAll('.', '-')}-${row}${column}`;
        workspaces[name] = nested({ ...besides[count % besides.length], ...declared });
        if (state) live[name] = nested({ 'global-remote-state': false, ...state });
        count += 1;
      }
      // Otherwise three states would always have the same beside them.
      count += 1;
    }
  }
  return {
    workspaces,
    seed: {
      'agent-pools': { pool: 'apool-1' },
      'ssh-keys': { deploy: 'sshkey-1' },
      'vcs-connections': { github: 'ot-github' },
      projects: {
        Inherited: {
          id: 'prj-inherited',
          'default-execution-mode': 'local',
          'auto-destroy-activity-duration': '3d',
          'tag-bindings': { team: 'sre' },
        },
      },
      workspaces: live,
    },
  };
}

function nested(values: Values): Values {
  const result: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const [outer = '', inner] = path.split('.');
    if (value === undefined) continue;
    result[outer] = inner === undefined ? value : { ...(result[outer] as object), [inner]: value };
  }
  return result;
}
