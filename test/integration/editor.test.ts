import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/attune.ts';
import { startLanguageServer } from '../support/language-server.ts';

/** A repository in which Attune is installed, open in an editor. */
async function editor() {
  const folder = await folderWith({});
  const schemas = join(folder, 'node_modules/attune/schemas');
  await mkdir(schemas, { recursive: true });
  await cp(new URL('../../schemas', import.meta.url), schemas, { recursive: true });
  const server = await startLanguageServer(folder);
  const head =
    '# yaml-language-server: $schema=./node_modules/attune/schemas/attune.schema.json\nattune: 1\norganization: acme\n';
  const inserted = async (text: string) =>
    Object.fromEntries(
      (await server.complete(head + text)).map(({ label, insertText }) => [label, insertText]),
    );
  return {
    inserted,
    hover: (text: string) => server.hover(head + text),
    problems: (text: string) => server.validate(head + text),
  };
}

test('an editor completes the levels of a team and a custom grant', async () => {
  const { inserted } = await editor();
  expect(await inserted('team-access:\n  payments:\n    sre: |\n')).toEqual({
    read: 'read',
    write: 'write',
    maintain: 'maintain',
    admin: 'admin',
    none: 'none',
    custom: `\n  access: custom\n  project-access:\n      settings: \${1:read}\n  workspace-access:\n      runs: \${2:plan}`,
    role: `\${1:auditor}`,
    until: `\n  access: \${1:write}\n  until: \${2:2026-12-31}\n  reason: \${3:Q4 migration}`,
  });
});

test('an editor completes the levels of a role, and accepts its name as the level of a team', async () => {
  const { inserted, problems } = await editor();
  expect(Object.keys(await inserted('roles:\n  auditor:\n    access: |\n'))).toEqual(
    expect.arrayContaining(['read', 'write', 'maintain', 'admin', 'custom']),
  );
  const roles = 'roles: {auditor: {access: custom, workspace-access: {runs: plan}}}\n';
  expect(await problems(`${roles}team-access: {payments: {sre: auditor, dev: {access: auditor}}}\n`)).toEqual(
    [],
  );
  expect(await problems(`${roles}team-access: {payments: {sre: [auditor]}}\n`)).not.toEqual([]);
});

test('an editor inserts an example with the key of a value', async () => {
  const { inserted } = await editor();
  expect((await inserted('service:\n  |\n')).rate).toBe(`rate: \${1:20}`);
  expect(await inserted('workspaces:\n  app:\n    |\n')).toMatchObject({
    'iac-version': `iac-version: "\${1:~> 1.9.0}"`,
    'working-directory': `working-directory: \${1:environments/prod}`,
    description: `description: \${1:Shared VPCs}`,
  });
});

test('an editor completes the forms of tags, consumers and lock', async () => {
  const { inserted } = await editor();
  expect(await inserted('workspaces:\n  app:\n    tags: |\n')).toMatchObject({ list: `\n  - \${1:prod}` });
  expect(Object.keys(await inserted('workspaces:\n  app:\n    tags:\n      |\n'))).toEqual(
    expect.arrayContaining(['exactly', 'add', 'remove']),
  );
  expect(await inserted('workspaces:\n  app:\n    remote-state-consumers: |\n')).toMatchObject({
    list: `\n  - \${1:billing-prod}`,
  });
  expect(await inserted('workspaces:\n  app:\n    lock: |\n')).toEqual({
    true: 'true',
    false: 'false',
    null: 'null',
    'locked with a reason': `\n  reason: \${1:change freeze}`,
  });
});

test('an editor completes the values of an enumeration in every layer', async () => {
  const { inserted } = await editor();
  const modes = { remote: 'remote', local: 'local', agent: 'agent' };
  expect(await inserted('workspaces:\n  app:\n    execution-mode: |\n')).toEqual(modes);
  expect(await inserted('templates:\n  service:\n    execution-mode: |\n')).toEqual(modes);
  expect(await inserted('defaults:\n  workspace:\n    execution-mode: |\n')).toEqual(modes);
});

test('an editor shows the description of a key with an example', async () => {
  const { hover } = await editor();
  const text = await hover('service:\n  ra|te: 20\n');
  expect(text).toContain('requests per second');
  expect(text).toContain('Example:\n\n```yaml\n20\n```');
});

test('an editor underlines a wrong value and an unknown key', async () => {
  const { problems } = await editor();
  expect(
    await problems('service: {rate: fast}\nworkspaces: {app: {auto-aply: true, execution-mode: rmote}}\n'),
  ).toEqual([
    '4:17 Incorrect type. Expected "number".',
    '5:53 Value is not accepted. Valid values: "remote", "local", "agent".',
    '5:20 Property auto-aply is not allowed.',
  ]);
});
