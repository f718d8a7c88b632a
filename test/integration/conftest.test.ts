import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';

const rego = join(import.meta.dirname, '../../examples/policies/rego');
const isInstalled = spawnSync('conftest', ['--version']).status === 0;
if (!isInstalled)
  console.log('conftest is not installed: the Rego rules of examples/policies are not tested');

const seed = `
organization: acme
projects: {payments: {id: prj-payments}}
teams: {contractors: {id: team-contractors}}
workspaces:
  network-prod: {tags: [prod], iac-version: 1.10.2, data-retention: {delete-older-than-days: 30}}
  billing-prod: {tags: [prod], iac-version: 1.10.2}
  dns-prod: {tags: [dev], iac-version: 1.10.2}
  locked-dev: {tags: [dev], iac-version: 1.10.2, locked: true}
  old-dev: {tags: [dev], iac-version: 1.10.2}
team-access:
  payments: {contractors: write}
`;

const violations = `
  network-prod:
    {auto-apply: true, tags: [staging, dev], iac-version: 1.8.0, data-retention: null, global-remote-state: true}
  billing-prod: {remote-state-consumers: [network-prod]}
  dns-prod: {state: absent}
  locked-dev: {lock: false}
  old-dev: {state: absent, delete: force}
  Shop: {tags: [dev], iac-version: 1.10.2}
guards: {protect: [{tag: prod}]}
team-access: {payments: {contractors: admin}}
`;

const meeting = `
  network-prod: {auto-apply: false, tags: [prod], iac-version: 1.11.0, remote-state-consumers: [network-dev]}
  network-dev: {tags: [dev], iac-version: 1.10.2}
  old-dev: {state: absent}
team-access: {payments: {contractors: read}}
`;

describe.skipIf(!isInstalled)('the Rego rules of examples/policies', () => {
  const refused = async (body: string): Promise<string[]> => {
    const head = 'attune: 1\norganization: acme\nprojects: {payments: prj-payments}\nworkspaces:';
    const folder = await folderWith({ 'attune.yaml': `${head}${body}`, 'seed.yaml': seed });
    const service = await serviceWith({ seed: join(folder, 'seed.yaml') });
    const command = ['plan', '--format', 'json', '--address', service.url];
    const { stdout, stderr } = await attune(command, { cwd: folder, env: { ATTUNE_TOKEN: 'test-token' } });
    expect(stderr).not.toContain('error[');
    await writeFile(join(folder, 'plan.json'), stdout);
    const words = ['test', join(folder, 'plan.json'), '--policy', rego, '--output', 'json'];
    const [result] = JSON.parse(spawnSync('conftest', words, { encoding: 'utf8' }).stdout);
    const failures: readonly { readonly msg: string }[] = result.failures ?? [];
    return failures.map(({ msg }) => /violates policy ([a-z-]+):/.exec(msg)?.[1] ?? msg).sort();
  };

  test('the Rego rules of examples/policies refuse each violation that a plan shows', async () => {
    expect(await refused(violations)).toEqual([
      'environment-tag',
      'keep-prod',
      'keep-protection',
      'least-version',
      'names',
      'no-admin-for-contractors',
      'no-forced-deletes',
      'no-global-state',
      'no-unlocks',
      'prod-no-auto-apply',
      'prod-retention',
      'prod-state-in-project',
    ]);
  });

  test('the Rego rules of examples/policies accept a plan without violations', async () => {
    expect(await refused(meeting)).toEqual([]);
  });
});
