import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith, serviceWith } from '../../support/attune.ts';
import { count, sample } from '../../support/cases.ts';
import { simulateWatch } from '../../support/simulate-watch.ts';

const names = Array.from({ length: 30 }, (_, index) => `service-${index}`);

const seed = {
  organization: 'acme',
  workspaces: Object.fromEntries(names.map((name) => [name, { id: `ws-${name}` }])),
};

const root = `attune: 1
organization: acme
include: [workspaces/*.yaml]
scope: {names: ["*"]}
prune: {workspaces: force}
limits: {deletes: 1000, delete-percent: 100}
`;

/** The files of a branch. Both branches declare all workspaces, in different files. */
function branch(name: string, fileCount: number): Record<string, string> {
  const files: Record<string, string> = {};
  for (const [index, workspace] of names.entries()) {
    const file = `${name}/workspaces/${name}-${index % fileCount}.yaml`;
    files[file] = `${files[file] ?? 'workspaces:\n'}  ${workspace}: {description: ${name}}\n`;
  }
  return files;
}

const commit = 'git -c user.name=test -c user.email=test@example.com -c commit.gpgsign=false commit -qm';

async function repository(): Promise<string> {
  const cwd = await folderWith({
    'attune.yaml': root,
    '.gitignore': 'one/\ntwo/\nstop\n',
    ...branch('one', 3),
    ...branch('two', 2),
  });
  const command = `git init -q && cp -r one/. . && git add . && ${commit} one && git branch one &&
    git rm -q workspaces/* && cp -r two/. . && git add . && ${commit} two && git branch two`;
  const [code] = await once(spawn(command, { shell: true, cwd, stdio: 'inherit' }), 'close');
  expect(code).toBe(0);
  return cwd;
}

/** Checks out the two branches in turns until the test ends. */
function keepCheckingOut(cwd: string): void {
  const loop = 'until [ -e stop ]; do git checkout -q one; sleep 0.05; git checkout -q two; sleep 0.05; done';
  const shell = spawn('sh', ['-c', loop], { cwd, stdio: 'ignore' });
  const ended = once(shell, 'close');
  onTestFinished(async () => {
    await writeFile(join(cwd, 'stop'), '');
    await ended;
  });
}

test('watch --heal all beside a repository that is checked out again and again deletes no declared workspace', async () => {
  const service = await serviceWith({ seed });
  const cwd = await repository();
  const cycles = sample(Array.from({ length: 10_000 }), 100).length;
  const deletions: string[] = [];
  keepCheckingOut(cwd);
  await simulateWatch({
    cwd,
    argv: ['--address', service.url, '--heal', 'all', '--no-journal'],
    between: ({ cycle, lines, stop }) => {
      if (lines.some(({ code }) => code === 'files-changed')) count('plans refused during a checkout');
      for (const { method, path } of service.requests)
        if (/^DELETE|-delete$/.test(`${method} ${path}`)) deletions.push(`${method} ${path}`);
      service.clearRequests();
      if (cycle >= cycles) stop();
    },
  });
  expect(deletions).toEqual([]);
});
