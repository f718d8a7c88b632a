import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import { worldWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { serverWith } from '../support/servers.ts';

const validate = new Ajv2020({ validateFormats: false }).compile(
  JSON.parse(readFileSync(new URL('../../schemas/message.schema.json', import.meta.url), 'utf8')),
);

interface Received {
  readonly path: string;
  readonly body: string;
  readonly json: Record<string, unknown> & { readonly lines?: readonly string[] };
}

const seed = {
  workspaces: { network: { id: 'ws-network', description: 'old', 'auto-apply': false }, web: {} },
};
const risky = '{network: {description: new, auto-apply: true}}';
const plain = '{to: webhook, url-env: HOOK}';

const file = (notify: string, workspaces: string) =>
  `attune: 1\norganization: acme\nnotify: [${notify}]\nworkspaces: ${workspaces}\n`;

/** Root files with receivers, and a receiver at HOOK, A and B. */
async function notified(
  files: Readonly<Record<string, string>> | string,
  { env = {}, ...service }: EmulatorOptions & { readonly env?: Readonly<Record<string, string>> } = { seed },
) {
  const received: Received[] = [];
  const url = `${await serverWith(async (request, response) => {
    const body = await text(request);
    received.push({ path: request.url ?? '', body, json: JSON.parse(body) });
    response.end();
  })}/services/T0/secret-path?key=secret-query`;
  const variables = { ATTUNE_TOKEN: 'test-token', HOOK: url, A: `${url}&a`, B: `${url}&b`, HOOK_SECRET: 'k' };
  const date = () => new Date(Date.UTC(2026, 0, 5, 8));
  const options = { date, clock: jumpingClock(), env: { ...variables, ...env } };
  const { attune } = await worldWith(files, { seed, ...service }, options);
  return { received, attune, texts: () => received.map(({ json }) => [json.event, json.title, json.lines]) };
}

test('a webhook gets a summary with the risks first', async () => {
  const env = {
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/platform',
    GITHUB_RUN_ID: '7',
  };
  const signed = '{to: webhook, url-env: HOOK, secret-env: HOOK_SECRET}';
  const { received, attune } = await notified(file(signed, risky), { env });
  expect(await attune('plan', '--notify')).toMatchObject({ code: 0, stderr: '' });
  expect(received.map(({ json }) => json)).toEqual([
    {
      format: 'attune.message/1',
      event: 'attention',
      organization: 'acme',
      root: 'attune.yaml',
      at: '2026-01-05T08:00:00.000Z',
      title: 'acme: attune plan found changes that need attention',
      summary: 'Plan: 0 to create, 1 to update, 0 to delete, 0 unchanged. 1 call. 1 needs attention.',
      lines: ['update workspace.network (needs attention: auto-apply on: auto-apply: false -> true)'],
      more: 0,
      link: 'https://github.com/acme/platform/actions/runs/7',
      counts: { create: 0, update: 1, delete: 0, unchanged: 0, calls: 1, undeclared: 0 },
    },
  ]);
  expect(validate(received[0]?.json), JSON.stringify(validate.errors)).toBe(true);
});

test('the figures of a message about an apply are those of its results', async () => {
  const faults = [
    { kind: 'status' as const, status: 422, method: 'POST', path: '/workspaces/*/relationships/tags' },
  ];
  const workspaces = '{network: {description: new, tags: [a]}, web: {description: new}, api: {}}';
  const { received, attune } = await notified(file(plain, workspaces), { seed, faults });
  expect(await attune('apply', '--yes', '--notify')).toMatchObject({ code: 1 });
  const results = { create: 1, update: 1, delete: 0, partial: 1, failed: 0, skipped: 0 };
  expect(received[0]?.json.counts).toEqual({ ...results, calls: 3, unchanged: 0, undeclared: 0 });
  expect(validate(received[0]?.json), JSON.stringify(validate.errors)).toBe(true);
});

test.each([
  ['plan', 0],
  ['drift', 2],
  ['apply', 0],
])(
  '%s --notify with a receiver that fails exits with %d, and warns without its address',
  async (command, exit) => {
    const env = { HOOK: 'http://127.0.0.1:1/services/secret-path' };
    const { attune } = await notified(file('{to: slack, url-env: HOOK}', risky), { env });
    const { code, stderr } = await attune(command, '--notify', ...(command === 'apply' ? ['--yes'] : []));
    expect(code).toBe(exit);
    expect(stderr).toMatch(/^warning\[message-not-sent\]: /m);
    expect(stderr).not.toMatch(/secret-path|127\.0\.0\.1/);
  },
);

test('a message has all risks of a change, and those of resources without a change', async () => {
  const { received, attune } = await notified(
    file(plain, '{web: {project: prj-b, auto-apply: true, execution-mode: local}}'),
    {
      dialect: 'terraform',
      seed: {
        projects: { A: 'prj-a', B: 'prj-b' },
        workspaces: { shared: { project: 'A', 'project-remote-state': true }, web: { project: 'A' } },
      },
    },
  );
  await attune('plan', '--notify');
  expect(received[0]?.json.lines).toEqual([
    'update workspace.web (needs attention: auto-apply on: auto-apply: false -> true; execution mode: execution-mode: remote -> local)',
    'state access lost: workspace.shared (needs attention: by 1 workspace: web)',
  ]);
});

test('apply reports what it made and what an exception holds, and a plan without changes sends nothing', async () => {
  const exception = '{address: workspace.network, field: description, until: 2026-02-01, reason: INC-7}';
  const declared = file(plain, '{network: {description: new}, web: {description: x}}');
  const { texts, attune } = await notified(`${declared}exceptions: [${exception}]\n`);
  for (const argv of [['apply', '--yes'], ['apply', '--yes'], ['plan'], ['drift']])
    expect(await attune(...argv, '--notify')).toMatchObject({ code: 0 });
  const lines = [
    'done: update workspace.web',
    'held by exception until 2026-02-01: INC-7: workspace.network',
  ];
  expect(texts()).toEqual([['applied', 'acme: attune apply made changes', lines]]);
});

test.each(['plan', 'apply'])('%s with invalid files reports the failure', async (command) => {
  const { received, attune, texts } = await notified(file(plain, '{network: {auto-aply: true}}'));
  const { code, stderr } = await attune(command, '--notify');
  expect([code, stderr.includes('message-not-sent')]).toEqual([1, false]);
  const line = 'error: attune.yaml:4: unknown key "auto-aply" in a workspace';
  expect(texts()).toEqual([['failed', `acme: attune ${command} failed`, [line]]]);
  expect(validate(received[0]?.json)).toBe(true);
});

test.each([
  ['events', '{to: webhook, url-env: HOOK, on: [drfit]}', 0],
  ['variable of the key', '{to: webhook, url-env: HOOK, secret-env: "not a name!"}', 0],
  ['name of a key', '{to: webhook, url-env: HOOK, secret: HOOK_SECRET}', 0],
  ['key for a channel', '{to: slack, url-env: HOOK, secret-env: HOOK_SECRET}', 0],
  ['address, beside a valid one', `{to: webhook, url-env: "http://x/secret-path"}, ${plain}`, 1],
])(
  'a receiver with a wrong %s gets no message about its file, and its address is not printed',
  async (_, notify, sent) => {
    const { received, attune } = await notified(file(notify, risky));
    const { code, stdout, stderr } = await attune('plan', '--notify');
    expect([code, received.length]).toEqual([1, sent]);
    expect(stdout + stderr + received.map(({ body }) => body).join()).not.toContain('secret-path');
  },
);

test.each([
  ['share an error', '{web: {}}', ''],
  ['are not applied because another one is invalid', '{web: {auto-aply: true}}', 'test-token'],
  ['are not applied because another one has no plan', '{web: {project: none}}', 'test-token'],
])('apply sends a message to the receivers of root files that %s', async (_, workspaces, token) => {
  const a = file('{to: webhook, url-env: A}', '{network: {}}');
  const b = file('{to: webhook, url-env: B}', workspaces).replace('acme', 'emea');
  const { received, attune } = await notified({ 'a.yaml': a, 'b.yaml': b }, { env: { ATTUNE_TOKEN: token } });
  await attune('apply', 'a.yaml', 'b.yaml', '--notify');
  const titles = received.map(({ json }) => json.title);
  expect(titles.sort()).toEqual(['acme: attune apply failed', 'emea: attune apply failed']);
});
