import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../../src/report/results.ts';
import { folderWith } from '../../support/attune.ts';

const files = [
  { file: 'attune.yaml', before: 'a: 1\nb: 2\n', after: 'a: 2\nb: 2\n' },
  { file: 'workspaces/team a.yaml', before: 'a: 1\r\nb: 2', after: 'a: 1\r\nb: 3\r\n' },
  { file: 'workspaces/new one.yaml', after: 'c: 3\n' },
];

test.each(['.', 'teams/network'])(
  'git apply makes the files of a unified diff in the folder %s of a repository',
  async (name) => {
    const repository = await folderWith({});
    const folder = join(repository, name);
    for (const { file, before } of files) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      if (before !== undefined) await writeFile(join(folder, file), before);
    }
    const git = (cwd: string, args: readonly string[], input = '') =>
      execFileSync('git', args, { cwd, input, env: { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1' } });
    git(repository, ['init', '-q']);
    git(folder, ['apply'], unifiedDiff(files, { path: (file) => file }));
    const texts = files.map(({ file }) => readFile(join(folder, file), 'utf8').catch(() => undefined));
    expect(await Promise.all(texts)).toEqual(files.map(({ after }) => after));
  },
);
