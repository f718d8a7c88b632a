import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/attune.ts';
import { startAttune } from './attune-process.ts';

const valid = 'acme: 1 declared resource, no errors.\n';

/** Runs `attune validate` with a folder of temporary files, and a Node that prints which folder it caches compiled code in. */
async function validate(temporary: string, env: Readonly<Record<string, string>> = {}, preloaded = '') {
  const cwd = await folderWith({
    'attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {app: {}}\n',
    'preload.cjs': `require('node:module').enableCompileCache = (folder) => console.error('cache: ' + folder);\n${preloaded}`,
  });
  const folders = { HOME: temporary, TMPDIR: temporary, TEMP: temporary };
  return startAttune(['validate'], {
    cwd,
    env: { NODE_DISABLE_COMPILE_CACHE: undefined, ...folders, ...env },
    node: ['--require', './preload.cjs'],
  }).ended;
}

const newFolder = () => mkdtemp(join(tmpdir(), 'attune-'));

test('Node caches compiled code in its own folder of temporary files', async () => {
  const temporary = await newFolder();
  const folder = join(temporary, 'node-compile-cache');
  const cached = { code: 0, stdout: '', stderr: `cache: ${folder}\n${valid}` };
  expect(await validate(temporary)).toEqual(cached);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await validate(temporary)).toEqual(cached);
});

test.each(['/proc/attune', '/proc'])(
  'a command ends without a message if %s is the home folder and that of temporary files',
  async (temporary) => {
    expect(await validate(temporary)).toEqual({ code: 0, stdout: '', stderr: valid });
  },
);

test('NODE_DISABLE_COMPILE_CACHE turns the cache off, and no folder is created', async () => {
  const temporary = await newFolder();
  const { stderr } = await validate(temporary, { NODE_DISABLE_COMPILE_CACHE: '1' });
  expect(stderr).toBe(valid);
  await expect(stat(join(temporary, 'node-compile-cache'))).rejects.toThrow('ENOENT');
});

test('a folder of compiled code that belongs to another user is not used', async () => {
  const { stderr } = await validate(await newFolder(), {}, 'process.getuid = () => 54321;');
  expect(stderr).toBe(valid);
});

test('a file with the name of the folder of compiled code is left alone', async () => {
  const temporary = await newFolder();
  await writeFile(join(temporary, 'node-compile-cache'), '');
  expect((await validate(temporary)).stderr).toBe(valid);
});

test('the program ends if its report of an unknown error fails, too', async () => {
  const { code, stderr } = await validate(
    await newFolder(),
    {},
    'require("node:fs").existsSync = () => false;',
  );
  expect(code).not.toBe(0);
  expect(stderr).toContain('the schemas of the attune package are missing');
});
