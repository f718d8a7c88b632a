import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { RunContext } from '../../src/run/context.ts';
import { createLog } from '../../src/watch/log.ts';
import { createWatchMessages } from '../../src/watch/watch-messages.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { expectMode } from '../support/expect-mode.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { serverWith } from '../support/servers.ts';
import { simulateWatch } from '../support/simulate-watch.ts';

const validate = new Ajv2020({ validateFormats: false }).compile(
  JSON.parse(readFileSync(new URL('../../schemas/message.schema.json', import.meta.url), 'utf8')),
);

interface Received {
  readonly path: string;
  readonly body: string;
  readonly json: Record<string, unknown> & { readonly title?: string; readonly lines?: readonly string[] };
}

/** A receiver of messages on loopback. */
async function receiver(
  answer: (response: ServerResponse, index: number) => void = (response) => response.end(),
) {
  const received: Received[] = [];
  const address = await serverWith(async (request, response) => {
    const body = await text(request);
    received.push({ path: request.url ?? '', body, json: JSON.parse(body) });
    answer(response, received.length);
  });
  return { received, url: `${address}/services/T0/secret-path?key=secret-query` };
}

const seed = {
  organization: 'acme',
  workspaces: { network: { id: 'ws-network', description: 'old', 'auto-apply': false }, web: {} },
};

function file(notify: string, workspaces = '{network: {description: new, auto-apply: true}}'): string {
  return `attune: 1\norganization: acme\nnotify:\n${notify}workspaces: ${workspaces}\n`;
}

async function world(notify: string, workspaces?: string) {
  const service = await serviceWith({ seed });
  const cwd = await folderWith({ 'attune.yaml': file(notify, workspaces) });
  const env = (more: Record<string, string> = {}) => ({
    ATTUNE_TOKEN: 'test-token',
    ATTUNE_ADDRESS: service.url,
    ...more,
  });
  return { service, cwd, env };
}

function rootFile(variable: string, workspace: string): string {
  return file(`  - {to: webhook, url-env: ${variable}}\n`, `{${workspace}: {}}`);
}

/** Two root files of one organization, each with a receiver. */
async function twoRoots() {
  const { cwd, env } = await world('  []\n');
  await writeFile(join(cwd, 'a.yaml'), rootFile('A', 'network'));
  await writeFile(join(cwd, 'b.yaml'), rootFile('B', 'web'));
  return { cwd, env };
}

const webhook = '  - {to: webhook, url-env: HOOK, secret-env: HOOK_SECRET}\n';
const date = () => new Date(Date.UTC(2026, 0, 5, 8));

describe('plan, drift and apply with --notify', () => {
  test('a webhook gets a summary with the risks first', async () => {
    const { received, url } = await receiver();
    const { cwd, env } = await world(webhook);
    const ran = await attune(['plan', '--notify'], {
      cwd,
      date,
      env: env({
        HOOK: url,
        HOOK_SECRET: 'sign-key',
        GITHUB_SERVER_URL: 'https://github.com',
        GITHUB_REPOSITORY: 'acme/platform',
        GITHUB_RUN_ID: '7',
      }),
    });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(received.map(({ json }) => json)).toEqual([
      {
        format: 'attune.message/1',
        event: 'attention',
        organization: 'acme',
        root: 'attune.yaml',
        at: '2026-01-05T08:00:00.000Z',
        title: 'acme: attune plan found changes that need attention',
        summary: 'Plan: 0 to create, 1 to update, 0 to delete, 0 unchanged. 1 call.',
        lines: ['update workspace.network (needs attention: auto-apply on: auto-apply: false -> true)'],
        more: 0,
        link: 'https://github.com/acme/platform/actions/runs/7',
        counts: { create: 0, update: 1, delete: 0, unchanged: 0, calls: 1, undeclared: 0 },
      },
    ]);
    expect(validate(received[0]?.json), JSON.stringify(validate.errors)).toBe(true);
  });

  test('drift keeps its exit code and warns without the address if a receiver fails', async () => {
    const { cwd, env } = await world('  - {to: slack, url-env: HOOK}\n');
    const url = 'http://127.0.0.1:1/services/secret-path';
    const ran = await attune(['drift', '--notify'], { cwd, env: env({ HOOK: url }), clock: jumpingClock() });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/^warning\[message-not-sent\]: /);
    expect(ran.stderr).not.toMatch(/secret-path|127\.0\.0\.1/);
  });

  test('a message has all risks of a change, and those of resources without a change', async () => {
    const { received, url } = await receiver();
    const projects = { A: 'prj-a', B: 'prj-b' };
    const workspaces = { shared: { project: 'A', 'project-remote-state': true }, web: { project: 'A' } };
    const service = await serviceWith({
      dialect: 'terraform',
      seed: { organization: 'acme', projects, workspaces },
    });
    const cwd = await folderWith({
      'attune.yaml': `${file('  - {to: webhook, url-env: HOOK}\n', '{web: {project: prj-b, auto-apply: true, execution-mode: local}}')}`,
    });
    const env = { ATTUNE_TOKEN: 'test-token', ATTUNE_ADDRESS: service.url, HOOK: url };
    expect((await attune(['plan', '--notify'], { cwd, env })).code).toBe(0);
    expect(received[0]?.json.lines).toEqual([
      'update workspace.web (needs attention: auto-apply on: auto-apply: false -> true; execution mode: execution-mode: remote -> local)',
      'needs attention: workspace.shared (state access lost: by 1 workspace: web)',
    ]);
  });

  test('apply reports what it made, and a plan without changes sends nothing', async () => {
    const { received, url } = await receiver();
    const { cwd, env } = await world(webhook);
    const settings = { cwd, date, env: env({ HOOK: url, HOOK_SECRET: 'k' }) };
    expect(await attune(['apply', '--yes', '--notify'], settings)).toMatchObject({ code: 0 });
    expect(await attune(['plan', '--notify'], settings)).toMatchObject({ code: 0 });
    expect(await attune(['drift', '--notify'], settings)).toMatchObject({ code: 0 });
    expect(received.map(({ json }) => [json.event, json.title, json.summary])).toEqual([
      ['applied', 'acme: attune apply made changes', 'Applied: 0 created, 1 updated, 0 deleted. 1 call.'],
    ]);
  });

  test('a receiver gets only the events that it names, and nothing without --notify', async () => {
    const { received, url } = await receiver();
    const { cwd, env } = await world('  - {to: webhook, url-env: HOOK, on: [failed, applied]}\n');
    const settings = { cwd, date, env: env({ HOOK: url }) };
    await attune(['drift', '--notify'], settings);
    await attune(['apply', '--yes'], settings);
    expect(received).toEqual([]);
    await attune(['drift', '--notify'], { ...settings, env: env({ HOOK: url, ATTUNE_TOKEN: '' }) });
    expect(received.map(({ json }) => json.title)).toEqual(['acme: attune drift failed']);
    expect(received[0]?.json.lines?.[0]).toMatch(/^error: cannot connect to 127.0.0.1:\d+: no token is set$/);
  });

  test.each(['plan', 'apply'])('%s with invalid files reports the failure', async (command) => {
    const { received, url } = await receiver();
    const { cwd, env } = await world(webhook, '{network: {auto-aply: true}}');
    const argv = [command, '--notify'];
    const ran = await attune(argv, { cwd, date, env: env({ HOOK: url, HOOK_SECRET: 'k' }) });
    expect(ran.code).toBe(1);
    expect(ran.stderr).not.toContain('message-not-sent');
    expect(received.map(({ json }) => [json.event, json.title, json.lines])).toEqual([
      [
        'failed',
        `acme: attune ${command} failed`,
        ['error: attune.yaml:5: unknown key "auto-aply" in a workspace'],
      ],
    ]);
    expect(received.map(({ json }) => validate(json))).toEqual([true]);
  });

  test.each([
    ['events', 'on: [drfit]'],
    ['variable of the key', 'secret-env: "not a name!"'],
  ])('a receiver with wrong %s gets no message about its file', async (_, wrong) => {
    const { received, url } = await receiver();
    const { cwd, env } = await world(`  - {to: webhook, url-env: HOOK, ${wrong}}\n`);
    const ran = await attune(['plan', '--notify'], { cwd, date, env: env({ HOOK: url }) });
    expect([ran.code, received.length]).toEqual([1, 0]);
  });

  test('invalid receivers of invalid files get no message, and no text has their address', async () => {
    const { received, url } = await receiver();
    const { cwd, env } = await world(
      `  - {to: webhook, url-env: "${url}"}\n  - {to: webhook, url-env: HOOK}\n`,
    );
    const ran = await attune(['plan', '--notify'], { cwd, date, env: env({ HOOK: url }) });
    expect([ran.code, received.length]).toEqual([1, 1]);
    expect(ran.stdout + ran.stderr + received.map(({ body }) => body).join()).not.toContain('secret-path');
  });

  test('--notify without receivers is a warning', async () => {
    const { cwd, env } = await world('  []\n');
    const ran = await attune(['drift', '--notify'], { cwd, date, env: env() });
    expect(ran.stderr).toBe(`\
warning[message-not-sent]: no message was sent: no root file has receivers
  hint: add \`notify\` to the root file, or remove --notify
`);
  });

  test('apply sends the reason that root files share to the receivers of all', async () => {
    const { received, url } = await receiver();
    const { cwd, env } = await twoRoots();
    await attune(['apply', 'a.yaml', 'b.yaml', '--notify'], {
      cwd,
      date,
      clock: jumpingClock(),
      env: { ...env({ A: `${url}&a`, B: `${url}&b` }), ATTUNE_ADDRESS: 'http://127.0.0.1:9' },
    });
    expect(received.map(({ path }) => path.at(-1)).sort()).toEqual(['a', 'b']);
  });

  test('a change that an exception holds is neither a failure nor a difference', async () => {
    const { received, url } = await receiver();
    const { cwd, env } = await world('  - {to: webhook, url-env: HOOK}\n');
    const settings = { cwd, date, env: env({ HOOK: url }) };
    const exception = '{address: workspace.network, field: description, until: 2026-02-01, reason: INC-7}';
    await writeFile(
      join(cwd, 'attune.yaml'),
      `${file('  - {to: webhook, url-env: HOOK}\n', '{network: {description: new}, web: {description: x}}')}exceptions: [${exception}]\n`,
    );
    await attune(['apply', '--yes', '--notify'], settings);
    expect(await attune(['apply', '--yes', '--notify'], settings)).toMatchObject({ code: 0 });
    expect(received.map(({ json }) => [json.event, json.lines])).toEqual([
      [
        'applied',
        ['done: update workspace.web', 'held by exception until 2026-02-01: INC-7: workspace.network'],
      ],
    ]);
  });
});

describe('watch', () => {
  const titles = (received: readonly Received[]) => received.map(({ json }) => json.title);

  test('watch sends a message when it differs from the last one, not in each cycle, and a restart repeats nothing', async () => {
    const { received, url } = await receiver();
    const { cwd, env } = await world('  - {to: webhook, url-env: HOOK}\n', '{network: {description: new}}');
    const began = 'acme: attune watch found differences';
    const watch = (until: number, at: (cycle: number) => Promise<void> | void) =>
      simulateWatch({
        cwd,
        env: env({ HOOK: url }),
        argv: [],
        between: async ({ cycle, stop }) => {
          await at(cycle);
          if (cycle === until) stop();
        },
      });
    await watch(2, () => expect(titles(received)).toEqual([began]));
    await expectMode(join(cwd, '.attune'), 0o700);
    await watch(3, async (cycle) => {
      expect(titles(received)).toEqual(
        cycle < 3 ? [began] : [began, 'acme: attune watch has nothing more to report'],
      );
      if (cycle === 2)
        await writeFile(
          join(cwd, 'attune.yaml'),
          file('  - {to: webhook, url-env: HOOK}\n', '{network: {description: old}}'),
        );
    });
    expect(received.at(-1)?.json).toMatchObject({ event: 'resolved', lines: [], more: 0 });
  });

  test('watch reports invalid files to the receivers of the last valid ones, and the end of the failure', async () => {
    const { received, url } = await receiver();
    const notify = '  - {to: webhook, url-env: HOOK}\n';
    const { cwd, env } = await world(notify, '{network: {}}');
    await simulateWatch({
      cwd,
      env: env({ HOOK: url }),
      argv: [],
      between: async ({ cycle, stop }) => {
        if (cycle === 1) await writeFile(join(cwd, 'attune.yaml'), 'attune: [');
        if (cycle === 3) await writeFile(join(cwd, 'attune.yaml'), file(notify, '{network: {}}'));
        if (cycle === 5) stop();
      },
    });
    expect(titles(received)).toEqual([
      'acme: attune watch failed',
      'acme: attune watch has nothing more to report',
    ]);
    expect(received[0]?.json.lines?.[0]).toMatch(/^error: /);
  });

  test('watch sends a message again that was not delivered', async () => {
    const { received, url } = await receiver((response, index) => {
      response.statusCode = index <= 3 ? 500 : 200;
      response.end();
    });
    const { cwd, env } = await world('  - {to: webhook, url-env: HOOK}\n', '{network: {description: new}}');
    const { stderr } = await simulateWatch({
      cwd,
      env: env({ HOOK: url }),
      argv: [],
      between: ({ cycle, stop }) => {
        expect(received).toHaveLength(cycle === 1 ? 3 : 4);
        if (cycle === 3) stop();
      },
    });
    expect(stderr).toContain('[message-not-sent] no message to webhook: it answered 500');
  });

  test('watch reports once that it cannot keep what it sent', async () => {
    const { received, url } = await receiver();
    const { cwd, env } = await world('  - {to: webhook, url-env: HOOK}\n', '{network: {description: new}}');
    await rm(join(cwd, '.attune'), { recursive: true, force: true });
    await writeFile(join(cwd, '.attune'), 'a file');
    const { stderr } = await simulateWatch({
      cwd,
      env: env({ HOOK: url }),
      argv: [],
      between: ({ cycle, stop }) => {
        if (cycle === 2) stop();
      },
    });
    expect(received).toHaveLength(1);
    expect(stderr.match(/a restart can repeat messages/g)).toHaveLength(1);
  });

  test('watch sends a message when a freeze window begins while other changes need attention', async () => {
    const { received, url } = await receiver();
    const notify = '  - {to: webhook, url-env: HOOK, on: [attention]}\n';
    const { cwd, env } = await world(notify);
    const freeze =
      '{from: 2026-01-05T00:05:00Z, to: 2026-01-05T00:15:00Z, reason: year end, select: {name: web}}';
    const write = (web: string) =>
      writeFile(
        join(cwd, 'attune.yaml'),
        `${file(notify, `{network: {state: absent}, web: {${web}}}`)}freeze: [${freeze}]\n`,
      );
    await write('');
    await simulateWatch({
      cwd,
      env: env({ HOOK: url }),
      argv: ['--heal', 'update'],
      between: async ({ cycle, stop }) => {
        if (cycle === 1) await write('description: new');
        if (cycle === 4) stop();
      },
    });
    const held = 'held by freeze window until 2026-01-05T00:15:00Z: year end: workspace.web';
    expect(received.map(({ json }) => [json.event, json.lines?.includes(held)])).toEqual([
      ['attention', false],
      ['attention', true],
      ['attention', false],
      ['attention', false],
    ]);
  });

  test('watch sends nothing to a receiver that the last valid files no longer have', async () => {
    const { received, url } = await receiver();
    const { cwd, env } = await world('  - {to: webhook, url-env: HOOK}\n', '{network: {}}');
    const without = 'attune: 1\norganization: acme\nworkspaces: {network: {}}\n';
    await simulateWatch({
      cwd,
      env: env({ HOOK: url }),
      argv: [],
      between: async ({ cycle, stop }) => {
        if (cycle <= 2) await writeFile(join(cwd, 'attune.yaml'), cycle === 1 ? without : 'attune: [');
        if (cycle === 3) stop();
      },
    });
    expect(received).toEqual([]);
  });

  test('watch reports a failure after the plan, too', async () => {
    const { received, url } = await receiver();
    const { cwd, env } = await world('  - {to: webhook, url-env: HOOK}\n', '{network: {description: new}}');
    await writeFile(join(cwd, '.attune'), 'a file');
    await simulateWatch({
      cwd,
      env: env({ HOOK: url }),
      argv: ['--heal', 'all'],
      between: async ({ cycle, stop }) => {
        if (cycle === 1) await rm(join(cwd, '.attune'));
        if (cycle === 3) stop();
      },
    });
    expect(titles(received)).toEqual(['acme: attune watch failed', 'acme: attune watch made changes']);
    expect(received[0]?.json.lines?.[0]).toMatch(/^error: cannot write the journal folder/);
  });

  test('the receivers of each root file get the beginning and the end of a failure that they share', async () => {
    const a = await receiver();
    const b = await receiver();
    const { cwd, env } = await twoRoots();
    const address = env().ATTUNE_ADDRESS;
    const down = 'service: {address: "http://127.0.0.1:9"}\n';
    const both = async (added: string) => {
      await writeFile(join(cwd, 'a.yaml'), `${rootFile('A', 'network')}${added}`);
      await writeFile(join(cwd, 'b.yaml'), `${rootFile('B', 'web')}${added}`);
    };
    await both(down);
    await simulateWatch({
      cwd,
      env: { ATTUNE_TOKEN: 'test-token', A: a.url, B: b.url },
      argv: ['a.yaml', 'b.yaml'],
      between: async ({ cycle, stop }) => {
        if (cycle === 2) await both(`service: {address: "${address}"}\n`);
        if (cycle === 3) stop();
      },
    });
    for (const { received } of [a, b])
      expect(titles(received)).toEqual([
        'acme: attune watch failed',
        'acme: attune watch has nothing more to report',
      ]);
  });

  test('watch ends at once while a receiver does not answer, and a restart sends the message', async () => {
    let isAnswering = false;
    let stop = () => {};
    const { received, url } = await receiver((response) => {
      if (isAnswering) response.end();
      else stop();
    });
    const { cwd, env } = await world('  - {to: webhook, url-env: HOOK}\n', '{network: {description: new}}');
    const watch = (until: number) =>
      simulateWatch({
        cwd,
        env: env({ HOOK: url }),
        argv: [],
        onLine: (_line, end) => {
          stop = end;
        },
        between: ({ cycle, stop: end }) => {
          if (cycle === until) end();
        },
      });
    const { stderr } = await watch(0);
    expect(received).toHaveLength(1);
    expect(stderr).toContain('no message to webhook: the run was stopped');
    isAnswering = true;
    await watch(1);
    expect(titles(received.slice(1))).toEqual(['acme: attune watch found differences']);
  });

  test.each([
    [
      'another format',
      (file: string) => writeFile(file, '{"format":"attune.messages/2"}'),
      'attune.messages/1',
    ],
    ['no JSON', (file: string) => writeFile(file, '{"format":'), 'JSON'],
    ['a named pipe', (file: string) => void spawnSync('mkfifo', [file]), ''],
    ['an endless device', (file: string) => symlink('/dev/zero', file), ''],
    ['9 MB', (file: string) => writeFile(file, ' '.repeat(9 * 1024 * 1024)), 'bytes'],
  ])('what watch sent before is reported as unknown if its file has %s', async (_, make, problem) => {
    const { cwd } = await world('  []\n', '{}');
    await mkdir(join(cwd, '.attune'));
    await make(join(cwd, '.attune', 'messages.json'));
    const lines: string[] = [];
    const log = createLog({ quiet: false, date, write: (line) => lines.push(line) });
    const stop = new AbortController().signal;
    await createWatchMessages({ io: { cwd } } as unknown as RunContext, log, { kind: 'drift', stop });
    expect(lines).toEqual([expect.stringMatching(`messages can be repeated.*${problem}`)]);
  });
});
