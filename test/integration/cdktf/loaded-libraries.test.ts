import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../support/attune.ts';

const dist = join(import.meta.dirname, '..', '..', '..', 'dist');
const bin = join(dist, 'cli', 'bin.js');
const small = 'attune: 1\norganization: acme\nworkspaces:\n  app: {lock: true, auto-apply: true}\n';

test('no command loads cdktf, cdktn or constructs, and attune/cdktf loads only constructs', async () => {
  const cwd = await folderWith({
    'attune.yaml': `${small}service: {address: embedded}\n`,
    'loaded.cjs': `process.on('exit', () => {
      const names = Object.keys(require.cache).map((file) => /node_modules.(cdktf|cdktn|constructs)\\b/.exec(file)?.[1]);
      process.stderr.write('loaded:' + [...new Set(names.filter(Boolean))] + ';');
    });`,
  });
  for (const argv of [
    ['validate'],
    ['plan'],
    ['apply', '--yes'],
    ['export', 'terraform', '--out', 'infra'],
  ]) {
    const { status, stderr } = spawnSync(process.execPath, ['--require', './loaded.cjs', bin, ...argv], {
      cwd,
      encoding: 'utf8',
    });
    expect([argv[0], status]).toEqual([argv[0], 0]);
    expect(stderr).toContain('loaded:;');
  }
  const loads = `import '${join(dist, 'cdktf', 'index.js')}'`;
  const { stderr } = spawnSync(
    process.execPath,
    ['--require', './loaded.cjs', '--input-type=module', '--eval', loads],
    {
      cwd,
      encoding: 'utf8',
    },
  );
  expect(stderr).toBe('loaded:constructs;');
});
