import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Value } from '../../src/model/value.ts';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';
import { reported, type Stage, stage } from './stage.ts';

const path = '/organizations/acme/workspaces';
const seed = { projects: { One: 'prj-1', Two: 'prj-2' }, workspaces: { web: {} } };
const yaml =
  'projects: {one: prj-1}\nworkspaces: {app: {project: one, description: ours}, web: {remote-state-consumers: [app]}}\n';

/** Creates a workspace as another user, and cuts the connection before the create of the plan arrives. */
async function createdByAnother(
  { client, service }: Stage,
  attributes: Record<string, Value>,
  project = 'prj-1',
) {
  const relationships = { project: { data: { type: 'projects', id: project } } };
  const body = { data: { type: 'workspaces', attributes: { name: 'app', ...attributes }, relationships } };
  await client.send({ method: 'POST', path, body });
  service.clearRequests();
  service.setFaults([{ kind: 'cut-before', method: 'POST', path, nth: 1 }]);
}

const conflict = (differences: string) => [
  'failed workspace.app 0',
  `  POST ${path}: the response was lost, and workspace "app" differs from the request: ${differences}; plan again to manage the existing workspace, or choose another name for the new one`,
  'skipped workspace.web 0',
  '  needs workspace.app, which failed',
];

describe.each(['iac', 'terraform'] as const)(
  'a create in the %s dialect whose answer was lost',
  (dialect) => {
    test.each(rowsIn<[string, Record<string, Value>, string, string]>`
- [value, {description: theirs}, prj-1, description was sent as "ours" and is "theirs"]
- [project, {description: ours}, prj-2, project was sent as "prj-1" and is "prj-2"]
- [value that was not sent, {description: ours, auto-apply: true}, prj-1, auto-apply was not sent and is true]
`)(
      `a create in the ${dialect} dialect whose answer was lost fails when the workspace of that name has another %s`,
      async (_what, attributes, project, differences) => {
        const scene = await stage(yaml, { seed, dialect });
        await createdByAnother(scene, attributes, project);
        expect(reported(await scene.apply())).toEqual(conflict(differences));
        expect(await scene.writes()).toEqual([`POST ${path}`]);
      },
    );

    test(`a create in the ${dialect} dialect whose answer was lost succeeds if the workspace has the values that were sent`, async () => {
      const scene = await stage(yaml, { seed, dialect });
      await createdByAnother(scene, { description: 'ours' });
      expect(reported(await scene.apply())).toEqual(['done workspace.app 1', 'done workspace.web 1']);
    });
  },
);

describe('the journal of a create that found a workspace of another user', () => {
  /** An apply during which another user creates the workspace. */
  async function applied() {
    const cwd = await folderWith({
      'attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {app: {description: ours}}\n',
    });
    const service = await serviceWith({ seed: { organization: 'acme', workspaces: {} } });
    const run = (argv: readonly string[], answer?: () => Promise<string>) =>
      attune([...argv, '--quiet', '--address', service.url], {
        cwd,
        env: { ATTUNE_TOKEN: 'test-token' },
        ...(answer && { answer }),
      });
    const ran = await run(['apply', '--journal', 'run.ndjson'], async () => {
      await sendTo(service, 'POST', path, workspaceBody({ name: 'app', description: 'theirs' }));
      service.setFaults([{ kind: 'cut-before', method: 'POST', path, nth: 1 }]);
      return 'yes';
    });
    service.setFaults([]);
    service.clearRequests();
    return { cwd, service, run, ran, journal: join(cwd, 'run.ndjson') };
  }

  test('the journal records that another user created the workspace, and undo leaves it', async () => {
    const { service, run, ran, journal } = await applied();
    expect(ran.code).toBe(1);
    const outcome = (await readFile(journal, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .find(({ record }) => record === 'outcome');
    expect(outcome).toMatchObject({ result: 'failed', error: { notOurs: true } });
    const undone = await run(['undo', 'run.ndjson', '--yes']);
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining(' 0 calls.')]);
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('undo leaves a workspace and reports a conflict if the outcome of its create is unknown', async () => {
    const { cwd, service, run, journal } = await applied();
    const lines = (await readFile(journal, 'utf8'))
      .split('\n')
      .filter((line) => !/"outcome"|"end"/.test(line));
    await writeFile(join(cwd, 'cut.ndjson'), lines.join('\n'));
    const undone = await run(['undo', 'cut.ndjson', '--yes']);
    expect([undone.code, undone.stderr]).toEqual([
      1,
      expect.stringContaining(
        'workspace.app is not reverted: it is unknown whether the run created it, and description was sent as "ours" and is "theirs"',
      ),
    ]);
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
