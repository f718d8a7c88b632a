import { expect, test } from 'vitest';
import type { Dialect } from '../../src/model/dialect.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';

const configuration = (dialect: Dialect, scope: string) => `attune: 1
organization: acme
service: {dialect: ${dialect}}
projects: {one: prj-1}
ssh-keys: {deploy: sshkey-1}
workspaces:
  app-a:
    project: one
    description: words
    tags: [managed, extra]
    ssh-key: deploy
    remote-state-consumers: [app-b]
    lock: true
  app-b: {project: one, tags: [managed]}
scope: ${scope}
prune: {workspaces: safe}
`;
const seed = { organization: 'acme', projects: { One: 'prj-1' }, 'ssh-keys': { deploy: 'sshkey-1' } };

const cases = [
  { dialect: 'iac', by: 'tag', scope: '{tags: [managed]}' },
  { dialect: 'terraform', by: 'tag and project', scope: '{tags: [managed], projects: [one]}' },
] as const;

test.each(cases)(
  'an apply that is interrupted after any call is completed by the next one: $dialect, scope by $by',
  async ({ dialect, scope }) => {
    const folder = await folderWith({ 'attune.yaml': configuration(dialect, scope) });
    for (let calls = 1, isWhole = false; !isWhole; calls += 1) {
      const controller = new AbortController();
      let writes = 0;
      const service = await serviceWith({
        seed,
        dialect,
        log: ({ method }) => {
          if (method !== 'GET' && ++writes === calls) controller.abort();
        },
      });
      const run = (stop = new AbortController().signal) =>
        attune(
          ['apply', '--yes', '--quiet', '--no-journal', '--parallelism', '1', '--address', service.url],
          {
            cwd: folder,
            env: { ATTUNE_TOKEN: 'test-token' },
            interrupts: { stop, exitCode: () => (stop.aborted ? 130 : undefined), release: () => {} },
          },
        );
      const first = await run(controller.signal);
      isWhole = !/skipped/.test(first.stdout);
      const second = await run();
      expect(second.code, `after ${calls} calls: ${second.stderr}${second.stdout}`).toBe(0);
      const third = await run();
      expect(third.stdout, `after ${calls} calls`).toContain('No changes.');
    }
  },
);
