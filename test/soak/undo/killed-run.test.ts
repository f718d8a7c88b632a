import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../../support/attune.ts';
import { seed, files as yaml } from '../../undo/every-change.ts';
import { liveState } from '../../undo/live-state.ts';

const bin = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli', 'bin.js');
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
