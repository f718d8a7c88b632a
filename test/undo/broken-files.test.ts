import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ask } from '../support/ask.ts';
import { attune, folderWith, serviceWith, worldWith } from '../support/attune.ts';

const seed = { organization: 'acme', workspaces: { network: { description: 'before' } } };
const head = 'attune: 1\norganization: acme\n';
const yaml = (address: string) =>
  `${head}service: {address: ${address}}\nworkspaces:\n  network: {description: after}\n`;

/** A folder where one apply was made from `<root>attune.yaml`, which names the address. */
async function applied(root = '') {
  const service = await serviceWith({ seed });
  const folder = await folderWith({ [`${root}attune.yaml`]: yaml(service.url) });
  const go = async (...argv: string[]) => {
    const { code, stdout, stderr } = await attune(argv, { cwd: folder, env: { ATTUNE_TOKEN: 'test-token' } });
    return { code, stdout, stderr: stderr.replaceAll(/[\d-]+T[\d-]+Z/g, '<time>') };
  };
  const words = root === '' ? [] : [root];
  expect((await go('apply', ...words, '--yes')).code).toBe(0);
  const description = async () => {
    const { data } = (await ask(service, 'GET', '/organizations/acme/workspaces/network')).body;
    return data.attributes.description;
  };
  const write = (text: (address: string) => string) =>
    writeFile(join(folder, root, 'attune.yaml'), text(service.url));
  return { service, folder, go, write, description };
}

const conflict = '<<<<<<< HEAD\n  network: {description: mine}\n=======\n  network: {}\n>>>>>>> main\n';

describe('undo without valid files', () => {
  test.each<[string, (address: string) => string]>([
    ['the markers of a merge', (address) => yaml(address).replace(/ {2}network.*\n/, conflict)],
    ['a bracket that is not closed', (address) => `${yaml(address)}  web: {tags: [a}\n`],
    ['a tab before the address', (address) => `${head}service:\n\taddress: "${address}" # prod\n`],
    ['an unknown key', (address) => `${yaml(address)}workspace: {}\n`],
    [
      'a conflict before the organization',
      (address) =>
        yaml(address).replace('attune: 1\n', '<<<<<<< HEAD\nattune: 1\n=======\nattune: 1\n>>>>>>> main\n'),
    ],
  ])('undo --last reverts the run if attune.yaml has %s', async (_, broken) => {
    const { go, write, description } = await applied();
    await write(broken);
    const { code, stderr } = await go('undo', '--last', '--yes');
    expect([code, stderr]).toEqual([
      0,
      `warning[files-left-aside]: attune.yaml has errors and is ignored: the undo follows the journal, and guards, policies and freeze windows of the file are not checked
  hint: run \`attune validate\`, and correct the file to check them
Undoing .attune/journal/<time>-acme.jsonl
Undo with: attune undo --last
`,
    ]);
    expect(await description()).toBe('before');
  });

  test('an undo of a file whose address is unknown asks for it, and does not take that of the journal', async () => {
    const { service, go, write, description } = await applied();
    const other = 'https://iac.example.com';
    const broken = (address: string) => `  address: ${address}\n  address: ${other}\n a\n`;
    await write((address) => `organization: acme\nservice:\n${broken(address)}`);
    const refused = await go('undo', '--last', '--yes');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('error[no-address]: ')]);
    expect((await go('undo', '--last', '--yes', '--address', service.url)).code).toBe(0);
    expect(await description()).toBe('before');
  });

  test('undo notes that guards are not checked if there is no attune.yaml', async () => {
    const { service, folder, go, description } = await applied();
    await rm(join(folder, 'attune.yaml'));
    const { code, stderr } = await go('undo', '--last', '--yes', '--address', service.url);
    expect([code, stderr]).toEqual([
      0,
      `Undoing .attune/journal/<time>-acme.jsonl
note[files-left-aside]: there is no attune.yaml: the undo follows the journal, and guards, policies and freeze windows of the file are not checked
  hint: name a root file to check them
Undo with: attune undo --last
`,
    ]);
    expect(await description()).toBe('before');
  });

  test('undo --last takes the journals of a named root file that was removed, and no other missing file', async () => {
    const { service, folder, go, description } = await applied('envs/');
    await rm(join(folder, 'envs/attune.yaml'));
    const wrong = await go('undo', '--last', 'other', '--address', service.url);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('error[file-not-found]')]);
    const { code, stderr } = await go('undo', '--last', 'envs', '--yes', '--address', service.url);
    expect([code, stderr.split('\n')[0]]).toEqual([
      0,
      'warning[files-left-aside]: envs/attune.yaml does not exist: the undo follows the journal, and guards, policies and freeze windows of the file are not checked',
    ]);
    expect(await description()).toBe('before');
  });

  test('undo obeys the guards of a valid root file beside a broken one', async () => {
    const web = `${head}workspaces: {web: {}}\n`;
    const guarded = `${head}guards: {protect: [web]}\n`;
    const world = await worldWith({ 'attune.yaml': web, 'guards.yaml': guarded }, { seed });
    await world.attune('apply', '--yes', '--journal', 'run.jsonl');
    await writeFile(join(world.folder, 'attune.yaml'), `${web}web: [\n`);
    const { code, stderr } = await world.attune('undo', 'run.jsonl', '.', 'guards.yaml', '--yes');
    expect([code, stderr]).toEqual([1, expect.stringContaining('error[protected]: ')]);
    expect(world.writes()).toEqual([]);
  });

  test.each([
    ['', '.attune/embedded.json'],
    [', data: data/web.json', 'data/web.json'],
  ])('an undo on the embedded service%s needs no file, because it sends no token', async (more, data) => {
    const root = `${head}service: {address: embedded${more}}\nworkspaces: {web: {}}\n`;
    const folder = await folderWith({ 'attune.yaml': root });
    expect((await attune(['apply', '--yes'], { cwd: folder })).code).toBe(0);
    await rm(join(folder, 'attune.yaml'));
    const { code, stdout } = await attune(['undo', '--last', '--yes'], { cwd: folder });
    expect([code, stdout]).toEqual([0, expect.stringContaining('Deleted:\n  - workspace.web')]);
    await rm(join(folder, data));
    const again = await attune(['undo', '--last', '--yes'], { cwd: folder });
    expect(again.stderr).toContain('error[no-address]: ');
  });

  test.each([
    ['has errors', (text: string) => `${text}oops: [\n`],
    ['is removed', undefined],
  ])('the embedded service has the dialect of the journal if attune.yaml %s', async (_, broken) => {
    const text =
      'attune: 1\norganization: acme\nservice: {address: embedded, dialect: terraform}\nworkspaces: {web: {tag-bindings: {env: prod}}}\n';
    const folder = await folderWith({ 'attune.yaml': text.replace('prod', 'dev') });
    await attune(['apply', '--yes'], { cwd: folder });
    const file = join(folder, 'attune.yaml');
    await writeFile(file, text);
    await attune(['apply', '--yes'], { cwd: folder });
    await (broken ? writeFile(file, broken(text)) : rm(file));
    const { code, stdout, stderr } = await attune(['undo', '--last', '--yes'], { cwd: folder });
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringContaining('tag-bindings: +env=dev -env=prod'),
      expect.not.stringContaining('journal-dialect'),
    ]);
  });

  test('an undo without files opens no data outside the working folder that a journal names', async () => {
    const root = 'service: {address: embedded, data: web.json}\nworkspaces: {web: {}}\n';
    const folder = await folderWith({ 'root/attune.yaml': `${head}${root}` });
    await attune(['apply', 'root', '--yes', '--journal', 'run.jsonl'], { cwd: folder });
    const cwd = join(folder, 'empty');
    await mkdir(cwd);
    const undo = ['undo', '../run.jsonl', '--yes'];
    expect((await attune(undo, { cwd })).stderr).toContain('error[no-address]: ');
    await symlink(join(folder, 'root'), join(cwd, 'link'));
    await rename(join(folder, 'run.jsonl'), join(cwd, 'run.jsonl'));
    const journal = join(cwd, 'run.jsonl');
    await writeFile(journal, (await readFile(journal, 'utf8')).replace('root/web.json', 'link/web.json'));
    expect((await attune(['undo', 'run.jsonl', '--yes'], { cwd })).stderr).toContain('error[no-address]: ');
  });
});
