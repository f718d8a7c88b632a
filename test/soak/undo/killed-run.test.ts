import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../../support/attune.ts';
import { liveState } from '../../undo/live-state.ts';

const bin = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli', 'bin.js');
const yaml = `attune: 1
organization: acme
projects: {one: prj-1}
teams: {sre: team-1, dev: team-2}
ssh-keys: {deploy: sshkey-1}
workspaces:
  fresh: {project: one, tags: [new], lock: true}
  app: {description: new words, tags: [kept, new], remote-state-consumers: [fresh], ssh-key: deploy}
  renamed: {renamed-from: former, auto-apply: true}
  old: {state: absent}
team-access: {one: {sre: write, dev: none}}
`;
const seed = {
  projects: { One: 'prj-1', Two: 'prj-2' },
  teams: { one: 'team-1', two: 'team-2' },
  'ssh-keys': { one: 'sshkey-1' },
  'team-access': { 'prj-1': { 'team-1': 'read', 'team-2': 'maintain' } },
  workspaces: {
    app: { description: 'old words', tags: ['kept', 'gone'], 'remote-state-consumers': ['other'] },
    former: {},
    old: { description: 'to be deleted', tags: ['kept'], 'remote-state-consumers': ['app'] },
    other: {},
  },
};
const flags = ['--yes', '--quiet'];

// The process ends after the request is sent and before its answer arrives.
test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
  'undo reverts an apply that was killed during its call %i',
  async (nth) => {
    let calls = 0;
    let kill = () => {};
    const service = await serviceWith({
      seed,
      log: ({ method }) => {
        if (method !== 'GET' && ++calls === nth) kill();
      },
    });
    const cwd = await folderWith({ 'attune.yaml': yaml });
    const before = await liveState({ url: service.url });
    const env = { ATTUNE_TOKEN: 'test-token' };
    const to = ['--address', service.url];
    const argv = [bin, 'apply', ...flags, '--journal', 'run.ndjson', '--parallelism', '1', ...to];
    const child = spawn(process.execPath, argv, { cwd, env });
    kill = () => child.kill('SIGKILL');
    const [, signal] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    kill = () => {};

    const undone = await attune(['undo', 'run.ndjson', ...flags, ...to], { cwd, env });
    expect(undone.code, undone.stdout + undone.stderr).toBe(0);
    expect(undone.stderr).toContain('note[journal-cut-off]');
    expect(await liveState({ url: service.url })).toEqual(before);
  },
);
