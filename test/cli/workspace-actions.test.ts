import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import { serviceWith, type WorldOptions, worldWith } from '../support/attune.ts';
import { documentErrors } from '../support/document-errors.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { mutatingService } from '../support/mutating-service.ts';

const yaml = `attune: 1
organization: acme
workspaces:
  network: {protect: true}
  app: {lock: true}
  billing: {renamed-from: invoices}
`;
const workspaces = {
  network: { id: 'ws-network' },
  app: { id: 'ws-app', locked: true },
  invoices: { id: 'ws-invoices' },
  legacy: { id: 'ws-legacy', 'resource-count': 2 },
  kims: { id: 'ws-kims', locked: { by: 'user-kim', reason: 'incident' } },
  sres: { id: 'ws-sres', locked: { by: 'team-sre' } },
  busy: { id: 'ws-busy', locked: { by: 'run-1' } },
  'tmp-1': { id: 'ws-tmp1' },
  'tmp-2': { id: 'ws-tmp2', 'resource-count': 1 },
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

/** The lines below the heading. */
const results = (stdout: string) => stdout.split('\n').slice(2).join('\n');

describe('attune workspace lock', () => {
  test('workspace lock sends the given reason', async () => {
    const { code, stdout, stderr, writes, world } = await ran('lock network tmp-1 --reason freeze');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`acme  SERVICE

  done     network
  done     tmp-1

2 locked.
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
  ])('workspace lock fails for %s, which is already locked, and sends nothing', async (name, holder) => {
    const { code, stdout, writes } = await ran(`lock ${name}`);
    expect([code, writes]).toEqual([1, []]);
    expect(results(stdout)).toBe(`  failed   ${name}
             it is locked already by ${holder}
             hint: wait until it is unlocked, or ask the holder

0 locked, 1 failed.
`);
  });

  test('workspace lock fails if another user was faster, and names that user', async () => {
    const faults = [
      { kind: 'status', status: 409, path: '*/actions/lock', detail: 'The workspace is already locked.' },
    ] as const;
    const { code, stdout } = await ran('lock tmp-1', { service: { faults } });
    expect(code).toBe(1);
    expect(results(stdout)).toBe(`  failed   tmp-1
             POST /workspaces/ws-tmp1/actions/lock answered 409: The workspace is already locked
             hint: wait until it is unlocked, or ask the holder

0 locked, 1 failed.
`);
  });

  test('workspace lock is not sent twice if the response is lost', async () => {
    const faults = [{ kind: 'cut-after', path: '*/actions/lock' }] as const;
    const { code, writes } = await ran('lock tmp-1 --reason freeze', { service: { faults } });
    expect([code, writes]).toEqual([0, ['POST /workspaces/ws-tmp1/actions/lock']]);
  });

  test('workspace lock with filters does not ask', async () => {
    const { code, writes } = await ran('lock tmp-*');
    expect([code, writes.length]).toEqual([0, 2]);
  });

  test('workspace lock warns if the files declare the workspace unlocked', async () => {
    const { stderr } = await ran('unlock app');
    expect(
      stderr,
    ).toBe(`attune.yaml:5:3: warning[declared-lock]: "app" is declared locked: the next apply locks it again
  5 |   app: {lock: true}
    |   ^
  hint: change \`lock\` in the declaration, or remove it to lock manually
`);
  });

  test('workspace lock warns if the files declare that there is no lock', async () => {
    const world = await worldWith(yaml.replace('lock: true', 'lock: false'), { seed });
    const { stderr } = await world.attune('workspace', 'lock', 'app');
    expect(stderr).toContain(
      'warning[declared-lock]: "app" is declared unlocked: the next apply unlocks it again\n',
    );
  });

  test('workspace lock does not warn if the files declare the lock', async () => {
    expect((await ran('lock app')).stderr).toBe('');
  });
});

describe('attune workspace unlock', () => {
  test('workspace unlock removes locks of the same user, and succeeds for unlocked workspaces', async () => {
    const { code, stdout, writes } = await ran('unlock app tmp-1');
    expect([code, writes]).toEqual([0, ['POST /workspaces/ws-app/actions/unlock']]);
    expect(results(stdout)).toBe(`  done     app
  done     tmp-1
             it was not locked

2 unlocked.
`);
  });

  test.each([
    ['kims', 'User user-kim', '; reason: incident', 'ask the holder to unlock it'],
    ['sres', 'Team team-sre', '', 'ask the holder to unlock it'],
    ['busy', 'Run run-1', '', 'wait for the run to end'],
  ])('workspace unlock fails for %s, which %s has locked', async (name, holder, reason, advice) => {
    const { code, stdout } = await ran(`unlock ${name}`);
    expect(code).toBe(1);
    expect(results(stdout)).toBe(`  failed   ${name}
             POST /workspaces/ws-${name}/actions/unlock answered 409: Unable to unlock workspace. The workspace is locked by ${holder} and may not be unlocked except by them${reason}
             hint: ${advice}, or add --force, which requires admin access

0 unlocked, 1 failed.
`);
  });

  test('workspace unlock waits while the newest state version is pending', async () => {
    const faults = [
      {
        kind: 'status',
        status: 503,
        path: '*/actions/unlock',
        times: 4,
        detail: 'The latest state version is still pending.',
      },
    ] as const;
    const clock = jumpingClock();
    const { code, stdout } = await ran('unlock app', { service: { faults }, clock });
    expect([code, results(stdout)]).toEqual([0, '  done     app\n\n1 unlocked.\n']);
    expect(clock.slept).toEqual([125, 250, 500, 1000]);
  });

  test('workspace unlock fails if the newest state version stays pending', async () => {
    const stuck = {
      ...seed,
      workspaces: { app: { id: 'ws-app', locked: true, state: { intermediate: 'pending' } } },
    } as const;
    const { code, stdout } = await ran('unlock app', { service: { seed: stuck } });
    expect(code).toBe(1);
    expect(results(stdout)).toBe(`  failed   app
             POST /workspaces/ws-app/actions/unlock answered 503: Unable to unlock workspace. The workspace's latest state version is still pending
             hint: check its state versions and unlock it later: its newest state is still being saved

0 unlocked, 1 failed.
`);
  });

  test('workspace unlock --force removes locks of any user, and does not ask if workspaces are named', async () => {
    const { code, stdout, writes } = await ran('unlock kims --force');
    expect([code, writes]).toEqual([0, ['POST /workspaces/ws-kims/actions/force-unlock']]);
    expect(results(stdout)).toBe('  done     kims\n\n1 force-unlocked.\n');
  });

  test('workspace unlock --force warns of a run that is not finished', async () => {
    const held = (run: string, status: string) => ({ locked: { by: run }, run: { id: run, status } });
    const running = { busy: held('run-1', 'planning'), idle: held('run-2', 'applied') };
    const { code, stderr } = await ran('unlock busy idle --force', {
      service: { seed: { ...seed, workspaces: running } },
    });
    expect([code, stderr]).toEqual([
      0,
      `warning[unfinished-run]: the run run-1 of "busy" is not finished (planning): without the lock, another run can start beside it
  hint: wait for the run to end, or cancel it first
`,
    ]);
  });

  test('the error of a refused unlock --force has a hint', async () => {
    const faults = [{ kind: 'status', status: 409, path: '*/force-unlock', detail: 'No.' }] as const;
    const { code, stdout } = await ran('unlock kims --force', { service: { faults } });
    expect(code).toBe(1);
    expect(results(stdout)).toBe(`  failed   kims
             POST /workspaces/ws-kims/actions/force-unlock answered 409: No; it is locked by user kim (user-kim); reason: incident
             hint: run \`attune workspace show\` to see its lock

0 force-unlocked, 1 failed.
`);
  });

  test('workspace unlock --force by pattern lists and asks, and requires --yes without a terminal', async () => {
    const question = `  kims  locked by user kim (user-kim)
  sres  locked by team sre (team-sre)
`;
    const { code, stderr, writes } = await ran('unlock k* s* --force');
    expect([code, writes]).toEqual([1, []]);
    expect(
      stderr,
    ).toBe(`${question}error[not-confirmed]: this command requires confirmation and stdin is not a terminal; no changes were made
  hint: review the list above, then run again with --yes
`);
    const asked = await ran('unlock k* s* --force', { answer: 'yes' });
    expect(asked.stderr).toBe(`${question}\nForce-unlock 2 workspaces? Only "yes" is accepted: `);
    expect([asked.code, asked.writes.length]).toEqual([0, 2]);
    expect((await ran('unlock k* s* --force --yes')).writes).toHaveLength(2);
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
    const { code, stdout, stderr, writes } = await unlock('freeze 42');
    expect([code, stderr, writes]).toEqual([
      0,
      '1 workspace without a lock.\n',
      ['POST /workspaces/ws-api/actions/unlock', 'POST /workspaces/ws-billing/actions/unlock'],
    ]);
    expect(results(stdout)).toBe(`  done     api
  done     billing
  skipped  kims
             it is locked with another reason: incident
  skipped  mute
             it is locked without a reason

2 unlocked, 2 skipped.
`);
  });

  test('workspace unlock --reason accepts names and filters, and reports each named workspace', async () => {
    expect((await unlock('freeze 42', ['--tag', 'prod'])).writes).toEqual([
      'POST /workspaces/ws-api/actions/unlock',
    ]);
    const { code, stdout } = await unlock('freeze 42', ['api', 'open']);
    expect([code, results(stdout)]).toEqual([
      0,
      '  done     api\n  skipped  open\n             it is not locked\n\n1 unlocked, 1 skipped.\n',
    ]);
  });

  test('workspace unlock --reason unlocks nothing and exits with 0 if no lock has the reason', async () => {
    const { code, stderr, writes } = await unlock('freeze 43', ['--tag', 'prod']);
    expect([code, stderr, writes]).toEqual([
      0,
      'No workspace is locked with the reason "freeze 43".\n1 workspace without a lock.\n',
      [],
    ]);
  });

  test('workspace unlock --reason --force lists only the chosen locks in its question', async () => {
    const { code, stderr, writes } = await unlock('incident', ['--force'], { answer: 'yes' });
    expect([code, writes]).toEqual([0, ['POST /workspaces/ws-kims/actions/force-unlock']]);
    expect(stderr).toContain('  kims  locked by user kim (user-kim)\n\nForce-unlock 1 workspace?');
  });

  test('workspace unlock --reason leaves every lock on a service that does not return reasons', async () => {
    const service = await serviceWith({ seed: frozen });
    const silent = await mutatingService(service.url);
    silent.mutate = (text) => text.replaceAll(/"locked-reason":("[^"]*"|null),?/g, '');
    const { code, stdout } = await unlock('freeze 42', ['api'], { address: silent.url });
    expect([code, results(stdout)]).toEqual([
      0,
      '  skipped  api\n             the service does not return the reason of its lock\n\n0 unlocked, 1 skipped.\n',
    ]);
  });

  test('workspace unlock --reason prints one document with --format json', async () => {
    const { stdout } = await unlock('freeze 42', ['api', 'kims', '--format', 'json']);
    const document = JSON.parse(stdout);
    expect(documentErrors(document)).toEqual([]);
    expect(document.workspaces).toEqual([
      { name: 'api', id: 'ws-api', result: 'done' },
      {
        name: 'kims',
        id: 'ws-kims',
        result: 'skipped',
        note: 'it is locked with another reason: incident',
      },
    ]);
  });
});

describe('every action', () => {
  test.each(['lock', 'unlock'])('workspace %s requires names or filters', async (command) => {
    const { code, stderr } = await ran(command);
    expect(code).toBe(1);
    expect(stderr).toBe(`error[usage]: workspace ${command} requires the names of workspaces or a filter
  hint: add names, or select workspaces with --name "*-prod", --tag or --project
`);
  });

  test.each(['lock', 'unlock'])('workspace %s of an unknown workspace writes nothing', async (command) => {
    const { code, stderr, writes } = await ran(`${command} tmp-1 nowhere`);
    expect([code, writes]).toEqual([1, []]);
    expect(stderr).toContain('error[no-such-workspace]: unknown workspace nowhere');
  });

  test.each([
    ['lock tmp-1', 'lock', 'permission to lock and unlock'],
    ['unlock app', 'unlock', 'permission to lock and unlock'],
    ['unlock kims --force', 'force-unlock', 'admin access'],
  ])(
    'the error of workspace %s without permission names the required permission',
    async (command, action, needs) => {
      const tokens = { 'test-token': { role: 'reader' } } as const;
      const { code, stdout } = await ran(command, { service: { seed: { ...seed, tokens } } });
      expect(code).toBe(1);
      expect(stdout).toContain(`/actions/${action} answered 404: not found, or this token may not see it
             hint: use a token with ${needs}
`);
    },
  );

  test('a workspace action prints one JSON document, failures included', async () => {
    const { code, stdout, stderr } = await ran('lock tmp-1 kims --format json');
    expect([code, stderr]).toEqual([1, '']);
    const document = JSON.parse(stdout);
    expect(documentErrors(document)).toEqual([]);
    expect(document).toEqual({
      format: 'attune.workspace-results/1',
      organization: 'acme',
      address: 'SERVICE',
      action: 'lock',
      workspaces: [
        {
          name: 'kims',
          id: 'ws-kims',
          result: 'failed',
          error: {
            message: 'it is locked already by user kim (user-kim); reason: incident',
            hint: 'wait until it is unlocked, or ask the holder',
          },
        },
        { name: 'tmp-1', id: 'ws-tmp1', result: 'done' },
      ],
    });
  });

  test('a workspace action prints the failed request as JSON', async () => {
    const { stdout } = await ran('unlock kims --format json');
    expect(documentErrors(JSON.parse(stdout))).toEqual([]);
    expect(JSON.parse(stdout).workspaces[0].error).toMatchObject({
      method: 'POST',
      path: '/workspaces/ws-kims/actions/unlock',
      status: 409,
    });
  });

  test('a workspace action prints a refusal as one JSON document', async () => {
    const { code, stdout } = await ran('lock nowhere --format json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      format: 'attune.diagnostics/1',
      diagnostics: [{ code: 'no-such-workspace' }],
    });
  });

  test('a workspace action that a signal stops skips the rest, and exits with the code of the signal', async () => {
    const stop = AbortSignal.abort();
    const interrupts = { stop, exitCode: () => 130, release: () => {} };
    const { code, stdout, writes } = await ran('lock tmp-1 network', { interrupts });
    expect([code, writes]).toEqual([130, []]);
    expect(results(stdout)).toBe(`  skipped  network
             not attempted: the run was stopped
  skipped  tmp-1
             not attempted: the run was stopped

0 locked, 2 skipped.
`);
  });
});
