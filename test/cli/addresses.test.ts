import { expect, test } from 'vitest';
import { attune, folderWith } from '../support/attune.ts';

const env = { ATTUNE_TOKEN: 'test-token' };

/** The way an address is read is the same for all commands. */
const broken = [
  'https://user:hunter2@host:99999',
  'https://user:hunter2@iac.example.com',
  'https://user:hu%6eter2@iac.example.com',
  'user:hunter2@iac.example.com',
  'https://user:hunter2/x#y@ host',
  'ftp://hunter2@iac.example.com',
];

test.each([
  'plan',
  'plan --format json',
  'plan --report plan.md',
  'doctor',
  'doctor --format json',
  'import --organization acme --out x.yaml',
  'workspace list --organization acme',
  'init there --organization acme --yes',
  'export terraform',
  'snapshot --verbose',
])('attune %s prints no password of --address, ATTUNE_ADDRESS or service.address', async (command) => {
  for (const address of command === 'plan' ? broken : broken.slice(-2)) {
    const cwd = await folderWith({ 'attune.yaml': 'attune: 1\norganization: acme\n' });
    const root = `attune: 1\norganization: acme\nservice: {address: ${JSON.stringify(address)}}\n`;
    const other = await folderWith({ 'attune.yaml': root });
    const runs = [
      await attune([...command.split(' '), '--address', address], { cwd, env }),
      await attune(command.split(' '), { cwd, env: { ...env, ATTUNE_ADDRESS: address } }),
      // In a file, only what looks like an address is masked.
      ...(command.startsWith('init') || !/^\w+:\/\/[^/]*$/.test(address)
        ? []
        : [await attune(command.split(' '), { cwd: other, env })]),
    ];
    for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toMatch(/hunter2|hu%6eter2/);
    expect(runs[0]?.code).not.toBe(0);
  }
});
