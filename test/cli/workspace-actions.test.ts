import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import { sendTo } from '../support/ask.ts';
import { serviceWith, type WorldOptions, worldWith } from '../support/attune.ts';
import { documentErrors } from '../support/document-errors.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { mutatingService } from '../support/mutating-service.ts';

const yaml = `attune: 1
organization: acme
workspaces:
  network: {description: Declared}
  app: {lock: true}
`;
const workspaces = {
  network: { id: 'ws-network' },
  app: { id: 'ws-app', locked: { by: 'user-owner', reason: 'ours' } },
  kims: { id: 'ws-kims', locked: { by: 'user-kim', reason: 'incident' } },
  sres: { id: 'ws-sres', locked: { by: 'team-sre' } },
  busy: { id: 'ws-busy', locked: { by: 'run-1' } },
  'tmp-1': { id: 'ws-tmp1' },
  'tmp-2': { id: 'ws-tmp2' },
} as const;
const seed = { organization: 'acme', teams: { sre: 'team-sre' }, workspaces };

/** Runs one command against a fresh service; `SERVICE` replaces its address. */
async function ran(
  command: string,
  {
    service,
    argv = [],
    ...options
  }: WorldOptions & { readonly service?: Partial<EmulatorOptions>; readonly argv?: readonly string[] } = {},
) {
  const world = await worldWith(yaml, { seed, ...service }, { clock: jumpingClock(), ...options });
  const { code, stdout, stderr } = await world.attune('workspace', ...command.split(' '), ...argv);
  const shown = stdout.replaceAll(world.service.url, 'SERVICE');
  return { code, stdout: shown, stderr, writes: world.writes(), world };
}

/** The results of the changes, without the plan above them. */
const results = (stdout: string) => stdout.slice(stdout.search(/^(Updated|Failed|Skipped):/m));

const undoHint = 'Undo with: attune undo --last\n';

describe('attune workspace lock', () => {
  test('workspace lock shows the plan of the lock alone, and sends the given reason', async () => {
    const { code, stdout, stderr, writes, world } = await ran('lock network tmp-1 --reason freeze');
    expect([code, stderr]).toEqual([0, undoHint]);
    expect(stdout).toBe(`acme  SERVICE

  ~ workspace.network
      lock: unlocked -> locked
  ~ workspace.tmp-1
      lock: unlocked -> locked

Plan: 0 to create, 2 to update, 0 to delete, 0 unchanged. 2 calls.

Updated:
  ~ workspace.network
  ~ workspace.tmp-1

Applied: 0 created, 2 updated, 0 deleted. 2 calls.
`);
    expect(writes).toEqual([
      'POST /workspaces/ws-network/actions/lock',
      'POST /workspaces/ws-tmp1/actions/lock',
    ]);
    expect(world.service.requests.at(-1)?.body).toEqual({ reason: 'freeze' });
  });

  test.each([
    ['kims', 'user kim (user-kim); reason: incident'],
    ['sres', 'team sre (team-sre)'],
    ['busy', 'run run-1'],
  ])('workspace lock fails for %s, which is already locked, and locks the others', async (name, holder) => {
    const { code, stderr, writes } = await ran(`lock ${name} tmp-1`);
    expect([code, writes]).toEqual([1, ['POST /workspaces/ws-tmp1/actions/lock']]);
    expect(stderr).toBe(`warning[already-locked]: cannot lock "${name}": it is already locked by ${holder}
${undoHint}`);
  });

  test('workspace lock of a locked workspace reports that it is locked already', async () => {
    const { code, stdout } = await ran('lock kims');
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('No changes. The workspaces are locked already.\n'),
    ]);
  });

  test('workspace lock with filters does not ask', async () => {
    const { code, writes } = await ran('lock tmp-*');
    expect([code, writes.length]).toEqual([0, 2]);
  });

  test('workspace lock warns if the files declare that there is no lock', async () => {
    const world = await worldWith(yaml.replace('{description: Declared}', '{lock: false}'), { seed });
    const { stderr } = await world.attune('workspace', 'lock', 'network');
    expect(stderr).toContain(
      'warning[declared-lock]: "network" is declared unlocked: the next apply unlocks it again\n',
    );
  });

  test('workspace lock changes nothing else that the files declare', async () => {
    const { writes, stderr } = await ran('lock network');
    expect([writes, stderr]).toEqual([['POST /workspaces/ws-network/actions/lock'], undoHint]);
  });
});

describe('attune workspace unlock', () => {
  test('workspace unlock removes locks of the same user, and succeeds for unlocked workspaces', async () => {
    const { code, stdout, stderr, writes } = await ran('unlock app tmp-1');
    expect([code, writes]).toEqual([0, ['POST /workspaces/ws-app/actions/unlock']]);
    expect(stdout).toContain(
      'Plan: 0 to create, 1 to update, 0 to delete, 1 unchanged. 1 call. 1 needs attention.\n',
    );
    expect(
      stderr,
    ).toBe(`attune.yaml:5:3: warning[declared-lock]: "app" is declared locked: the next apply locks it again
  5 |   app: {lock: true}
    |   ^
  hint: change \`lock\` in the declaration, or remove it to lock manually
${undoHint}`);
  });

  test.each([
    ['kims', 'User user-kim', '; reason: incident'],
    ['sres', 'Team team-sre', ''],
    ['busy', 'Run run-1', ''],
  ])('workspace unlock fails for %s, which %s has locked', async (name, holder, reason) => {
    const { code, stdout } = await ran(`unlock ${name}`);
    expect(code).toBe(1);
    expect(results(stdout)).toBe(`Failed:
  ~ workspace.${name}
      POST /workspaces/ws-${name}/actions/unlock answered 409: Unable to unlock workspace. The workspace is locked by ${holder} and may not be unlocked except by them${reason}; ask the holder to unlock it, or run \`attune workspace unlock --force\`, which requires admin access

Applied: 0 created, 0 updated, 0 deleted, 1 failed. 0 calls completed.
`);
  });

  test('workspace unlock --force removes locks of any user, and does not ask if workspaces are named', async () => {
    const { code, stderr, writes } = await ran('unlock kims --force');
    expect([code, writes]).toEqual([0, ['POST /workspaces/ws-kims/actions/force-unlock']]);
    expect(stderr).toBe(
      `warning[forced-unlock]: "kims" is force-unlocked: it is locked by user kim (user-kim); reason: incident\n${undoHint}`,
    );
  });

  test('workspace unlock --force warns of a run that is not finished', async () => {
    const held = (run: string, status: string) => ({ locked: { by: run }, run: { id: run, status } });
    const running = { busy: held('run-1', 'planning'), idle: held('run-2', 'applied') };
    const { code, stderr } = await ran('unlock busy idle --force', {
      service: { seed: { ...seed, workspaces: running } },
    });
    expect([code, stderr]).toEqual([
      0,
      `warning[forced-unlock]: "busy" is force-unlocked: it is locked by run run-1
warning[forced-unlock]: "idle" is force-unlocked: it is locked by run run-2
warning[unfinished-run]: the run run-1 of "busy" is not finished (planning): without the lock, another run can start beside it
  hint: wait for the run to end, or cancel it first
${undoHint}`,
    ]);
  });

  test('workspace unlock --force by pattern lists and asks, and requires --yes without a terminal', async () => {
    const { code, stdout, stderr, writes } = await ran('unlock k* s* --force');
    expect([code, writes]).toEqual([1, []]);
    expect(stdout).toContain('  ! unlock: workspace.kims ');
    expect(stderr).toContain('error[not-confirmed]');
    const asked = await ran('unlock k* s* --force', { answer: 'yes' });
    expect(asked.stderr).toContain(
      'is locked by team sre (team-sre)\n\nApply 2 changes? Only "yes" is accepted: ',
    );
    expect([asked.code, asked.writes.length]).toEqual([0, 2]);
    expect((await ran('unlock k* s* --force --yes')).writes).toHaveLength(2);
  });

  test('workspace unlock --force leaves a lock that another user set while it asked', async () => {
    const clock = jumpingClock();
    const world = await worldWith(
      yaml,
      { seed },
      {
        clock,
        answer: async () => {
          await clock.sleep(4000);
          const { url } = world.service;
          await sendTo({ url }, 'POST', '/workspaces/ws-kims/actions/force-unlock');
          await sendTo({ url }, 'POST', '/workspaces/ws-kims/actions/lock', { reason: 'another incident' });
          world.service.clearRequests();
          return 'yes';
        },
      },
    );
    const { code, stdout } = await world.attune('workspace', 'unlock', 'k*', '--force');
    expect([code, world.writes()]).toEqual([1, []]);
    expect(stdout).toContain('workspace.kims changed after the plan was made (its lock is another one now)');
  });
});

describe('attune workspace unlock --reason', () => {
  const frozen = {
    organization: 'acme',
    workspaces: {
      api: { id: 'ws-api', tags: ['prod'], locked: { by: 'user-owner', reason: 'freeze 42' } },
      billing: { id: 'ws-billing', locked: { by: 'user-owner', reason: 'freeze 42' } },
      kims: { id: 'ws-kims', tags: ['prod'], locked: { by: 'user-kim', reason: 'incident' } },
      mute: { id: 'ws-mute', locked: true },
      open: { id: 'ws-open', tags: ['prod'] },
    },
  } as const;
  const unlock = (reason: string, argv: readonly string[] = [], options: WorldOptions = {}) =>
    ran('unlock', {
      service: { seed: frozen },
      clock: jumpingClock(),
      ...options,
      argv: [...argv, '--reason', reason],
    });

  test('workspace unlock --reason unlocks the workspaces with this reason, and reports each lock that it leaves', async () => {
    const { code, stderr, writes } = await unlock('freeze 42');
    expect([code, stderr, writes]).toEqual([
      0,
      `note[other-lock]: "kims" is left as it is: it is locked with another reason: incident
note[other-lock]: "mute" is left as it is: it is locked without a reason
${undoHint}`,
      ['POST /workspaces/ws-api/actions/unlock', 'POST /workspaces/ws-billing/actions/unlock'],
    ]);
  });

  test('workspace unlock --reason accepts names and filters, and reports each named workspace', async () => {
    expect((await unlock('freeze 42', ['--tag', 'prod'])).writes).toEqual([
      'POST /workspaces/ws-api/actions/unlock',
    ]);
    const { code, stderr, writes } = await unlock('freeze 42', ['api', 'open']);
    expect([code, stderr, writes.length]).toEqual([
      0,
      `note[other-lock]: "open" is left as it is: it is not locked\n${undoHint}`,
      1,
    ]);
  });

  test('workspace unlock --reason unlocks nothing and exits with 0 if no lock has the reason', async () => {
    const { code, stdout, writes } = await unlock('freeze 43', ['--tag', 'prod']);
    expect([code, writes]).toEqual([0, []]);
    expect(stdout).toContain('Plan: 0 to create, 0 to update, 0 to delete, 0 unchanged. 0 calls.\n');
  });

  test('workspace unlock --reason --force shows only the chosen locks before its question', async () => {
    const { code, stdout, writes } = await unlock('incident', ['--force'], { answer: 'yes' });
    expect([code, writes]).toEqual([0, ['POST /workspaces/ws-kims/actions/force-unlock']]);
    expect(stdout).toContain(
      'Plan: 0 to create, 1 to update, 0 to delete, 0 unchanged. 1 call. 1 needs attention.\n',
    );
  });

  test('workspace unlock --reason leaves every lock on a service that does not return reasons', async () => {
    const service = await serviceWith({ seed: frozen });
    const silent = await mutatingService(service.url);
    silent.mutate = (text) => text.replaceAll(/"locked-reason":("[^"]*"|null),?/g, '');
    const { code, stderr } = await unlock('freeze 42', ['api'], { address: silent.url });
    expect([code, stderr]).toEqual([
      0,
      'note[other-lock]: "api" is left as it is: the service does not return the reason of its lock\n',
    ]);
  });
});

describe('a lock and an unlock', () => {
  test.each([
    ['lock tmp-1 --reason freeze', ['POST /workspaces/ws-tmp1/actions/unlock'], undefined],
    ['unlock app', ['POST /workspaces/ws-app/actions/lock'], { reason: 'ours' }],
    ['unlock kims --force', ['POST /workspaces/ws-kims/actions/lock'], { reason: 'incident' }],
  ])('undo --last reverts workspace %s', async (command, writes, body) => {
    const { code, world } = await ran(command);
    expect(code).toBe(0);
    world.service.clearRequests();
    const undone = await world.attune('undo', '--last', '--yes');
    expect([undone.code, world.writes()]).toEqual([0, writes]);
    expect(world.service.requests.find(({ method }) => method === 'POST')?.body).toEqual(body);
  });

  test('no journal is written for a lock with --no-journal', async () => {
    const { stderr } = await ran('lock tmp-1 --no-journal');
    expect(stderr).toBe('');
  });

  test.each(['lock', 'unlock'])('workspace %s requires names or filters', async (command) => {
    const { code, stderr } = await ran(command);
    expect(code).toBe(1);
    expect(stderr).toContain(`error[usage]: workspace ${command} requires the names of workspaces or a filter
  hint: add names, or select workspaces with --name "*-prod", --tag or --project
`);
  });

  test.each(['lock', 'unlock'])('workspace %s of an unknown workspace writes nothing', async (command) => {
    const { code, stderr, writes } = await ran(`${command} tmp-1 nowhere`);
    expect([code, writes]).toEqual([1, []]);
    expect(stderr).toContain('error[unknown-name]: unknown workspace nowhere');
  });

  test.each([
    ['lock tmp-1', 'can-lock'],
    ['unlock app', 'can-unlock'],
    ['unlock kims --force', 'can-force-unlock'],
  ])(
    'workspace %s without permission names the permission and writes nothing',
    async (command, permission) => {
      const tokens = { 'test-token': { role: 'reader' } } as const;
      const { code, stderr, writes } = await ran(command, { service: { seed: { ...seed, tokens } } });
      expect([code, writes]).toEqual([1, []]);
      expect(stderr).toContain(`this token has no ${permission} on it`);
    },
  );

  test('a lock prints one JSON document, failures included', async () => {
    const { code, stdout, stderr } = await ran('lock tmp-1 kims --format json');
    expect([code, stderr]).toEqual([1, undoHint]);
    const document = JSON.parse(stdout);
    expect(documentErrors(document)).toEqual([]);
    expect(document).toMatchObject({
      format: 'attune.apply/1',
      changes: [{ address: 'workspace.tmp-1', result: 'done', fields: [{ path: 'lock', after: true }] }],
      diagnostics: [{ code: 'already-locked', address: 'workspace.kims' }],
    });
  });

  test('a lock prints a refusal as one JSON document', async () => {
    const { code, stdout } = await ran('lock nowhere --format json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'attune.diagnostics/1',
      diagnostics: [{ code: 'unknown-name' }],
    });
  });

  test('a lock that a signal stops skips the rest, and exits with the code of the signal', async () => {
    const stop = AbortSignal.abort();
    const interrupts = { stop, exitCode: () => 130, release: () => {} };
    const { code, stdout, writes } = await ran('lock tmp-1 network', { interrupts });
    expect([code, writes]).toEqual([130, []]);
    expect(results(stdout)).toContain('Skipped:\n  ~ workspace.network\n');
  });
});
