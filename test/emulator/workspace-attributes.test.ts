import { describe, expect, it } from 'vitest';
import {
  type AttributePath,
  type AttributeSpec,
  attributePaths,
  executionModes,
  workspaceAttributes,
} from '../../src/model/attributes.ts';
import { workspaceBody } from '../support/ask.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';
const seed = { 'agent-pools': { onprem: 'apool-1' } } as const;

const plain = attributePaths.filter((path) => !path.includes('.'));
/** Attributes that may not be sent alone, or whose shown value depends on others. */
const coupled: readonly AttributePath[] = ['agent-pool-id', 'execution-mode', 'operations', 'iac-version'];

function sample(path: AttributePath): unknown {
  const spec: AttributeSpec = workspaceAttributes[path];
  if (path === 'auto-destroy-activity-duration') return '14d';
  if (spec.compare === 'instant') return '2030-01-02T03:04:05Z';
  if (spec.type === 'boolean') return !spec.default;
  return spec.type === 'strings' ? ['modules/*'] : 'text';
}

/** The dialect that has the attribute. */
const dialectOf = (path: AttributePath) => workspaceAttributes[path].only ?? 'iac';

function wrongType(path: AttributePath): unknown {
  return workspaceAttributes[path].type === 'boolean' ? 'yes' : 7;
}

describe('2.1 writable attributes', () => {
  it('a create with only a name gets every default of the table', async () => {
    const { ask } = await serve({ seed });
    const { attributes } = (await ask('POST', list, workspaceBody({ name: 'bare' }))).body.data;
    for (const path of plain) {
      if (coupled.includes(path) || dialectOf(path) !== 'iac') continue;
      expect(attributes[path], path).toEqual(workspaceAttributes[path].default);
    }
    expect(attributes).toMatchObject({
      'execution-mode': 'remote',
      operations: true,
      'agent-pool-id': null,
      'vcs-repo': null,
      'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
    });
    expect(attributes['iac-version']).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.each(plain.filter((path) => !coupled.includes(path)))(
    'the attribute %s is stored by a create and kept by an update',
    async (path) => {
      const { ask } = await serve({ dialect: dialectOf(path) });
      const created = await ask('POST', list, workspaceBody({ name: 'w', [path]: sample(path) }));
      expect(created.body.data.attributes[path]).toEqual(sample(path));
      const updated = await ask('PATCH', `${list}/w`, workspaceBody({ 'allow-destroy-plan': false }));
      expect(updated.body.data.attributes[path]).toEqual(
        path === 'allow-destroy-plan' ? false : sample(path),
      );
    },
  );

  it('iac-version accepts an exact version and a constraint', async () => {
    const { ask } = await serve();
    for (const version of ['1.9.8', '~> 1.9.0']) {
      const body = workspaceBody({ name: version.replace(/\W/g, '_'), 'iac-version': version });
      expect((await ask('POST', list, body)).body.data.attributes['iac-version']).toBe(version);
    }
  });

  it.each(attributePaths)('the attribute %s of a wrong type is 422 with its pointer', async (path) => {
    const { ask } = await serve({ dialect: dialectOf(path) });
    const [holder, key] = path.split('.');
    const attributes = key ? { [holder ?? '']: { [key]: wrongType(path) } } : { [path]: wrongType(path) };
    const { status, body } = await ask('POST', list, workspaceBody({ name: 'w', ...attributes }));
    expect(status).toBe(422);
    const pointers = body.errors.map((error: { source?: { pointer: string } }) => error.source?.pointer);
    expect(pointers).toContain(`/data/attributes/${path.replace('.', '/')}`);
  });

  // The live service ignores null where it clears nothing.
  it.each(plain.filter((path) => dialectOf(path) === 'iac'))(
    'null clears %s if the table allows null, and is refused otherwise',
    async (path) => {
      const { ask } = await serve();
      await ask(
        'POST',
        list,
        workspaceBody({ name: 'w', ...(!coupled.includes(path) && { [path]: sample(path) }) }),
      );
      const { status, body } = await ask('PATCH', `${list}/w`, workspaceBody({ [path]: null }));
      if (workspaceAttributes[path].nullable)
        expect([status, body.data.attributes[path]]).toEqual([200, null]);
      else expect(status).toBe(422);
    },
  );

  it.each(['a b', 'a/b', 'ä', '', 'a.b'])('the workspace name %j is refused', async (name) => {
    const { ask } = await serve();
    const { status, body } = await ask('POST', list, workspaceBody({ name }));
    expect([status, body.errors[0].source.pointer]).toEqual([422, '/data/attributes/name']);
  });

  it('the name of a workspace is required on create', async () => {
    const { ask } = await serve();
    const { status, body } = await ask('POST', list, workspaceBody({}));
    expect([status, body.errors[0].detail]).toEqual([422, "can't be blank"]);
  });

  it.each([
    ['1h', 201],
    ['9999d', 201],
    ['0d', 422],
    ['00h', 422],
    ['10000h', 422],
    ['5m', 422],
    ['d', 422],
    ['-1d', 422],
  ])('auto-destroy-activity-duration %s answers %d', async (duration, status) => {
    const { ask } = await serve();
    const body = workspaceBody({ name: 'w', 'auto-destroy-activity-duration': duration });
    expect((await ask('POST', list, body)).status).toBe(status);
  });

  it('auto-destroy-at must be a timestamp', async () => {
    const { ask } = await serve();
    expect((await ask('POST', list, workspaceBody({ name: 'w', 'auto-destroy-at': 'soon' }))).status).toBe(
      422,
    );
  });

  it('source-name and source-url are accepted on create only', async () => {
    const { ask } = await serve();
    await ask(
      'POST',
      list,
      workspaceBody({ name: 'w', 'source-name': 'ci', 'source-url': 'https://ci.example.com' }),
    );
    const updated = await ask('PATCH', `${list}/w`, workspaceBody({ 'source-name': 'other' }));
    expect(updated.body.data.attributes).toMatchObject({
      'source-name': 'ci',
      'source-url': 'https://ci.example.com',
    });
  });

  it('assessments-enabled exists on the hosted edition only', async () => {
    const hosted = await serve({ edition: 'hosted' });
    const body = workspaceBody({ name: 'w', 'assessments-enabled': true });
    expect((await hosted.ask('POST', list, body)).body.data.attributes['assessments-enabled']).toBe(true);
    const selfHosted = await serve({ edition: 'self-hosted' });
    expect((await selfHosted.ask('POST', list, body)).body.data.attributes).not.toHaveProperty(
      'assessments-enabled',
    );
  });

  it('global-remote-state defaults to true if the organization is configured so', async () => {
    const { ask } = await serve({ seed: { settings: { 'global-remote-state': true } } });
    const created = await ask('POST', list, workspaceBody({ name: 'w' }));
    expect(created.body.data.attributes['global-remote-state']).toBe(true);
  });

  it('attributes that the interface does not have are ignored', async () => {
    const { ask } = await serve();
    const created = await ask('POST', list, workspaceBody({ name: 'w', 'made-up': 1, locked: true }));
    expect(created.status).toBe(201);
    expect(created.body.data.attributes).not.toHaveProperty('made-up');
    expect(created.body.data.attributes.locked).toBe(false);
  });
});

describe('2.1 read-only attributes, links and relationships', () => {
  const readOnly = [
    'actions',
    'auto-destroy-status',
    'inherits-project-auto-destroy',
    'created-at',
    'updated-at',
    'latest-change-at',
    'last-assessment-result-at',
    'environment',
    'locked',
    'locked-reason',
    'oauth-client-name',
    'permissions',
    'apply-duration-average',
    'plan-duration-average',
    'policy-check-failures',
    'run-failures',
    'workspace-kpis-runs-count',
    'resource-count',
    'source',
    'structured-run-output-enabled',
    'tag-names',
    'vcs-repo-identifier',
  ];
  it.each(readOnly)('the emulator returns the read-only attribute %s', async (name) => {
    const { ask } = await serve({ seed: { workspaces: { w: {} } } });
    expect((await ask('GET', `${list}/w`)).body.data.attributes).toHaveProperty([name]);
  });

  const relationships = [
    'agent-pool',
    'current-configuration-version',
    'current-run',
    'latest-run',
    'current-state-version',
    'current-assessment-result',
    'organization',
    'outputs',
    'project',
    'readme',
    'remote-state-consumers',
    'ssh-key',
    'locked-by',
    'vars',
  ];
  it.each(relationships)('the emulator returns the relationship %s', async (name) => {
    const { ask } = await serve({ seed: { workspaces: { w: {} } } });
    expect((await ask('GET', `${list}/w`)).body.data.relationships).toHaveProperty([name]);
  });

  it('links of a workspace lead to the name-based path and to the consumers', async () => {
    const { ask } = await serve({ seed: { workspaces: { w: {} } } });
    const { data } = (await ask('GET', `${list}/w`)).body;
    expect(data.links.self).toBe('/api/v2/organizations/acme/workspaces/w');
    expect(data.relationships['remote-state-consumers']).toEqual({
      links: { related: `/api/v2/workspaces/${data.id}/relationships/remote-state-consumers` },
    });
  });

  it('the permissions of a workspace have the 21 documented entries, all true for an owner', async () => {
    const { ask } = await serve({ seed: { workspaces: { w: {} } } });
    const { permissions } = (await ask('GET', `${list}/w`)).body.data.attributes;
    expect(Object.keys(permissions)).toHaveLength(21);
    expect(new Set(Object.values(permissions))).toEqual(new Set([true]));
  });

  it('latest-change-at is the time of the latest state version, or of the workspace without one', async () => {
    const { ask } = await serve({
      seed: {
        workspaces: {
          fresh: { 'created-at': '2020-01-01T00:00:00Z' },
          used: { 'created-at': '2020-01-01T00:00:00Z', state: { 'created-at': '2021-01-01T00:00:00Z' } },
        },
      },
    });
    const changed = async (name: string) =>
      (await ask('GET', `${list}/${name}`)).body.data.attributes['latest-change-at'];
    expect(await changed('fresh')).toBe('2020-01-01T00:00:00Z');
    expect(await changed('used')).toBe('2021-01-01T00:00:00Z');
  });
});

describe('2.1 execution mode, agent pool and setting-overwrites', () => {
  const shown = ({
    attributes,
    relationships,
  }: {
    attributes: Record<string, unknown>;
    relationships: Record<string, { data: { id: string } | null }>;
  }) => ({
    mode: attributes['execution-mode'],
    operations: attributes.operations,
    pool: relationships['agent-pool']?.data?.id ?? null,
    flags: Object.values(attributes['setting-overwrites'] ?? {}),
  });
  const own = (mode: string, pool: string | null = null) => ({
    mode,
    operations: mode !== 'local',
    pool,
    flags: [true, true],
  });
  const inherited = { mode: 'remote', operations: true, pool: null, flags: [false, false] };
  const agent = { 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' };

  const steps: readonly {
    title: string;
    before?: Record<string, unknown>;
    sent: Record<string, unknown>;
    after: unknown;
  }[] = [
    { title: 'nothing sent inherits the organization', sent: {}, after: inherited },
    { title: 'a literal mode raises both flags', sent: { 'execution-mode': 'remote' }, after: own('remote') },
    {
      title: 'local mode is shown as operations: false',
      sent: { 'execution-mode': 'local' },
      after: own('local'),
    },
    { title: 'operations: false is local mode', sent: { operations: false }, after: own('local') },
    {
      title: 'operations: true is remote mode',
      before: { operations: false },
      sent: { operations: true },
      after: own('remote'),
    },
    { title: 'agent mode takes its pool', sent: agent, after: own('agent', 'apool-1') },
    {
      title: 'agent mode keeps the pool it has',
      before: agent,
      sent: { 'execution-mode': 'agent' },
      after: own('agent', 'apool-1'),
    },
    {
      title: 'leaving agent mode clears the pool',
      before: agent,
      sent: { 'execution-mode': 'remote' },
      after: own('remote'),
    },
    {
      title: 'a flag set to false goes back to the default',
      before: agent,
      sent: { 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } },
      after: inherited,
    },
    {
      title: 'the mode flag takes the pool flag with it',
      before: { 'execution-mode': 'local' },
      sent: { 'setting-overwrites': { 'execution-mode': false } },
      after: inherited,
    },
    {
      title: 'flags set to true with a mode have the effect of the mode',
      sent: {
        'execution-mode': 'local',
        'setting-overwrites': { 'execution-mode': true, 'agent-pool': true },
      },
      after: own('local'),
    },
  ];
  it.each(steps)(
    'the execution mode is derived from what is sent: $title',
    async ({ before, sent, after }) => {
      const { ask } = await serve({ seed });
      if (!before) {
        expect(shown((await ask('POST', list, workspaceBody({ name: 'w', ...sent }))).body.data)).toEqual(
          after,
        );
        return;
      }
      await ask('POST', list, workspaceBody({ name: 'w', ...before }));
      expect(shown((await ask('PATCH', `${list}/w`, workspaceBody(sent))).body.data)).toEqual(after);
    },
  );

  it.each([
    { dialect: 'iac', pool: 'apool-2', flags: [false, true] },
    { dialect: 'terraform', pool: 'apool-1', flags: [false, false] },
  ] as const)(
    'the flag of an inherited mode alone leaves the pool $pool in the $dialect dialect',
    async ({ dialect, ...after }) => {
      const { ask } = await serve({
        dialect,
        seed: {
          'agent-pools': { shared: 'apool-1', gpu: 'apool-2' },
          settings: { 'default-execution-mode': 'agent', 'default-agent-pool': 'shared' },
        },
      });
      await ask(
        'POST',
        list,
        workspaceBody({ name: 'w', 'execution-mode': 'agent', 'agent-pool-id': 'apool-2' }),
      );
      const sent = workspaceBody({ 'setting-overwrites': { 'execution-mode': false } });
      expect(shown((await ask('PATCH', `${list}/w`, sent)).body.data)).toMatchObject({
        mode: 'agent',
        ...after,
      });
    },
  );

  const refused: readonly { title: string; sent: Record<string, unknown>; pointer: string }[] = [
    {
      title: 'operations together with execution-mode',
      sent: { operations: true, 'execution-mode': 'remote' },
      pointer: 'operations',
    },
    { title: 'agent mode without a pool', sent: { 'execution-mode': 'agent' }, pointer: 'agent-pool-id' },
    {
      title: 'a pool with remote mode',
      sent: { 'execution-mode': 'remote', 'agent-pool-id': 'apool-1' },
      pointer: 'agent-pool-id',
    },
    {
      title: 'a pool with local mode',
      sent: { 'execution-mode': 'local', 'agent-pool-id': 'apool-1' },
      pointer: 'agent-pool-id',
    },
    {
      title: 'a pool with operations: true',
      sent: { operations: true, 'agent-pool-id': 'apool-1' },
      pointer: 'agent-pool-id',
    },
    {
      title: 'a pool that the organization does not have',
      sent: { 'execution-mode': 'agent', 'agent-pool-id': 'apool-9' },
      pointer: 'agent-pool-id',
    },
    {
      title: 'setting-overwrites.execution-mode: true without a mode',
      sent: { 'setting-overwrites': { 'execution-mode': true } },
      pointer: 'execution-mode',
    },
    {
      title: 'a mode that does not exist',
      sent: { 'execution-mode': 'elsewhere' },
      pointer: 'execution-mode',
    },
  ];
  it.each(refused)('a create with $title is 422', async ({ sent, pointer }) => {
    const { ask } = await serve({ seed });
    const { status, body } = await ask('POST', list, workspaceBody({ name: 'w', ...sent }));
    expect([status, body.errors[0].source.pointer]).toEqual([422, `/data/attributes/${pointer}`]);
  });

  it('an agent pool that was removed by a change of the mode is not restored', async () => {
    const { ask } = await serve({ seed });
    await ask('POST', list, workspaceBody({ name: 'w', ...agent }));
    await ask('PATCH', `${list}/w`, workspaceBody({ 'execution-mode': 'local' }));
    expect((await ask('PATCH', `${list}/w`, workspaceBody({ 'execution-mode': 'agent' }))).status).toBe(422);
  });

  it.each(executionModes)('a workspace inherits the default of an organization: %s', async (mode) => {
    const { ask } = await serve({
      seed: { ...seed, settings: { 'default-execution-mode': mode, 'default-agent-pool': 'onprem' } },
    });
    const created = await ask('POST', list, workspaceBody({ name: 'w' }));
    expect(shown(created.body.data)).toEqual({
      mode,
      operations: mode !== 'local',
      pool: mode === 'agent' ? 'apool-1' : null,
      flags: [false, false],
    });
  });
});

describe('2.2 vcs-repo', () => {
  const repository = { 'oauth-token-id': 'ot-1', identifier: 'acme/network' };
  const withRepository = {
    'vcs-connections': { github: 'ot-1' },
    workspaces: { w: { 'vcs-repo': repository }, bare: {} },
  };
  const set = (name: string, value: unknown) =>
    ['PATCH', `${list}/${name}`, workspaceBody({ 'vcs-repo': value })] as const;

  it('a new vcs-repo has the defaults of the table and the keys that only answers have', async () => {
    const { ask } = await serve({ seed: withRepository });
    const { attributes } = (await ask(...set('bare', repository))).body.data;
    expect(attributes['vcs-repo']).toMatchObject({
      ...repository,
      branch: null,
      'ingress-submodules': false,
      'tags-regex': null,
    });
    for (const key of ['display-identifier', 'repository-http-url', 'service-provider', 'webhook-url']) {
      expect(attributes['vcs-repo'], key).toHaveProperty([key]);
    }
    expect(attributes).toMatchObject({
      'vcs-repo-identifier': 'acme/network',
      'oauth-client-name': 'github',
    });
  });

  it('an update of vcs-repo changes only the named keys', async () => {
    const { ask } = await serve({ seed: withRepository });
    const changed = await ask(...set('w', { branch: 'main' }));
    expect(changed.body.data.attributes['vcs-repo']).toMatchObject({ ...repository, branch: 'main' });
  });

  it('null removes vcs-repo', async () => {
    const { ask } = await serve({ seed: withRepository });
    expect((await ask(...set('w', null))).body.data.attributes['vcs-repo']).toBeNull();
  });

  it('an app installation replaces the token of vcs-repo, and a token replaces the installation', async () => {
    const { ask } = await serve({ seed: withRepository });
    const changed = await ask(...set('w', { 'vcs-app-installation-id': 'ghain-1' }));
    expect(changed.body.data.attributes['vcs-repo']).toMatchObject({
      'oauth-token-id': null,
      'vcs-app-installation-id': 'ghain-1',
      identifier: 'acme/network',
    });
    const back = await ask(...set('w', { 'oauth-token-id': 'ot-1' }));
    expect(back.body.data.attributes['vcs-repo']).toMatchObject({
      'oauth-token-id': 'ot-1',
      'vcs-app-installation-id': null,
    });
  });

  it.each([
    ['a new one without identifier', 'bare', { 'oauth-token-id': 'ot-1' }, 'identifier'],
    ['a new one without token', 'bare', { identifier: 'acme/x' }, 'oauth-token-id'],
    [
      'token and installation together',
      'w',
      { 'oauth-token-id': 'ot-1', 'vcs-app-installation-id': 'g' },
      'vcs-app-installation-id',
    ],
    ['an identifier without a slash', 'w', { identifier: 'network' }, 'identifier'],
    ['a token that the organization does not have', 'w', { 'oauth-token-id': 'ot-9' }, 'oauth-token-id'],
  ])('a vcs-repo with %s is 422', async (_title, name, value, key) => {
    const { ask } = await serve({ seed: withRepository });
    const { status, body } = await ask(...set(name, value));
    expect([status, body.errors[0].source.pointer]).toEqual([422, `/data/attributes/vcs-repo/${key}`]);
  });
});
