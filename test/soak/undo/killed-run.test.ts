import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../../support/attune.ts';
import { filesOf, seedOf } from '../../undo/every-change.ts';
import { liveState } from '../../undo/live-state.ts';

const bin = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli', 'bin.js');
const flags = ['--yes', '--quiet'];

const common = `attune: 1
organization: acme
projects: {one: prj-1}
teams: {sre: team-1, dev: team-2}
`;
/** What the second file deletes is in a list of the first. */
const twoFiles = {
  'a.yaml': `${common}workspaces:
  fresh: {project: one, tags: [new], lock: true}
  app: {description: new words, tags: [kept, new], remote-state-consumers: [fresh]}
`,
  'b.yaml': `${common}workspaces:
  renamed: {renamed-from: former, auto-apply: true}
  old: {state: absent}
  other: {state: absent}
team-access: {one: {sre: write, dev: none}}
`,
};
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const kills = [
  ...upTo(16).map((nth) => [nth, { 'attune.yaml': filesOf('iac') }] as const),
  ...upTo(12).map((nth) => [nth, twoFiles] as const),
].map(([nth, files]) => ({ nth, files, roots: Object.keys(files) }));

type Kill = (typeof kills)[number];

/** A service with an apply of which the process ends after a call is sent and before its answer arrives. */
async function killed({ nth, files, roots }: Kill) {
  let calls = 0;
  let kill = () => {};
  const service = await serviceWith({
    seed: seedOf('iac'),
    edition: 'self-hosted',
    log: ({ method }) => {
      if (method !== 'GET' && ++calls === nth) kill();
    },
  });
  const cwd = await folderWith(files);
  const env = { ATTUNE_TOKEN: 'test-token' };
  const to = ['--address', service.url];
  const state = () => liveState({ url: service.url });
  const before = await state();
  const argv = [bin, 'apply', ...roots, ...flags, '--journal', 'run.ndjson', '--parallelism', '1', ...to];
  const child = spawn(process.execPath, argv, { cwd, env });
  kill = () => child.kill('SIGKILL');
  const [, signal] = await once(child, 'exit');
  kill = () => {};
  const run = (...words: string[]) => attune([...words, ...roots, ...flags, ...to], { cwd, env });
  return { signal, before, state, run };
}

test.each(kills)('undo reverts an apply that was killed during its call $nth of $roots', async (one) => {
  const { signal, before, state, run } = await killed(one);
  expect(signal).toBe('SIGKILL');
  const undone = await run('undo', 'run.ndjson');
  expect(undone.code, undone.stdout + undone.stderr).toBe(0);
  expect(undone.stderr).toContain('note[journal-cut-off]');
  expect(await state()).toEqual(before);
});

test.each(kills)(
  'the next run completes an apply that was killed during its call $nth of $roots',
  async (one) => {
    const { signal, state, run } = await killed(one);
    expect(signal).toBe('SIGKILL');
    const again = await run('apply', '--no-journal');
    expect(again.code, again.stdout + again.stderr).toBe(0);
    const whole = await killed({ ...one, nth: 0 });
    expect([whole.signal, await state()]).toEqual([null, await whole.state()]);
  },
);
