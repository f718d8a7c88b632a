import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/attune.ts';

const dist = join(import.meta.dirname, '../../dist');

/** Prints which of these packages are loaded, of both module systems of Node. */
const hooks = `export async function load(url, context, next) {
  process.stderr.write('loaded ' + url + '\\n');
  return next(url, context);
}`;
const printLoaded = `
require('node:module').register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)});
process.on('exit', () => Object.keys(require.cache).forEach((file) => process.stderr.write('loaded ' + file + '\\n')));
`;

test('commands load no library of programs, and the package for patterns of CEL for a policy only', async () => {
  const cwd = await folderWith({
    'attune.yaml':
      'attune: 1\norganization: acme\nservice: {address: embedded}\nworkspaces: {app: {auto-apply: true}}\n',
    'loaded.cjs': printLoaded,
    'policies.yaml': 'policies:\n  - {id: some, require: "true", message: Never.}\n',
  });
  const loaded = (...argv: string[]) => {
    const ran = spawnSync(process.execPath, ['--require', './loaded.cjs', ...argv], {
      cwd,
      encoding: 'utf8',
    });
    expect([argv, ran.status]).toEqual([argv, 0]);
    expect(ran.stderr).toContain(`${dist}/`);
    const packages = ran.stderr.matchAll(/^loaded .*node_modules.(cdktf|cdktn|constructs|re2js)\b/gm);
    return [...new Set([...packages].map(([, name]) => name))];
  };
  const bin = join(dist, 'cli', 'bin.js');
  for (const command of ['validate', 'plan', 'apply --yes', 'export terraform --out infra'])
    expect(loaded(bin, ...command.split(' '))).toEqual([]);
  expect(loaded(bin, 'plan', '--policy', 'policies.yaml')).toEqual(['re2js']);
  expect(loaded('--input-type=module', '--eval', `import '${join(dist, 'cdktf', 'index.js')}'`)).toEqual([
    'constructs',
  ]);
});
