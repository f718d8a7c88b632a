import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderWith } from '../support/attune.ts';

const program = join(import.meta.dirname, '../../dist/cli/bin.js');

/** Prints the address of each module that is loaded, of both module systems of Node. */
const hooks = `export async function load(url, context, next) {
  if (url.startsWith('file:')) process.stderr.write('loaded ' + url + '\\n');
  return next(url, context);
}`;
const printModules = `
require('node:module').register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});
process.on('exit', () => {
  for (const file of Object.keys(require.cache)) process.stderr.write('loaded ' + require('node:url').pathToFileURL(file) + '\\n');
});
`;

/** The files that a command loads of the package for the patterns of CEL, which is not in the program. */
function patternModules(words: readonly string[], cwd: string): string[] {
  const argv = ['--require', './print-modules.cjs', program, ...words];
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  const files = [...stderr.matchAll(/^loaded (.*)$/gm)].map(([, url]) => fileURLToPath(url ?? ''));
  expect(files).toContain(program);
  return [...new Set(files)].filter(
    (file) => file.includes('node_modules') && /RE2JS/.test(readFileSync(file, 'utf8')),
  );
}

test('a command loads the package for patterns of CEL for a policy only', async () => {
  const cwd = await folderWith({
    'attune.yaml':
      'attune: 1\norganization: acme\nservice: {address: embedded, seed: seed.yaml, data: data.json}\nworkspaces: {a: {}}\n',
    'seed.yaml': 'organization: acme\n',
    'print-modules.cjs': printModules,
    'policies.yaml': 'policies:\n  - {id: some, require: "true", message: Never.}\n',
  });
  expect(patternModules(['plan'], cwd)).toEqual([]);
  expect(patternModules(['plan', '--policy', 'policies.yaml'], cwd)).not.toEqual([]);
});
