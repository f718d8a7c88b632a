import { readdir, readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { reportFileExtensions } from '../src/cli/flags.ts';
import type { Io } from '../src/cli/io.ts';
import { createWholeProgram } from '../src/cli/program.ts';
import { AttuneError, createServiceClient } from '../src/index.ts';
import { attune, folderWith, serviceWith } from './support/attune.ts';
import { jumpingClock } from './support/fake-clock.ts';
import { mutatingService } from './support/mutating-service.ts';
import { serverWith } from './support/servers.ts';

const token = 'Zx9Qm"v\\T7pLw2kR';
/** Its parts too: a quote and a backslash have other spellings in JSON, HTML and XML. */
const spellings = [token, 'Zx9Qm', 'T7pLw2kR', Buffer.from(token).toString('base64').slice(0, 24)];

const files = {
  'attune.yaml': `attune: 1
organization: acme
projects: {platform: prj-1}
teams: {sre: team-1}
workspaces:
  network: {description: new words, tags: [network], remote-state-consumers: [billing], lock: true}
  fresh: {}
  legacy: {state: absent}
team-access: {platform: {sre: write}}
`,
};

const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-1' },
  teams: { sre: 'team-1' },
  workspaces: { network: { description: 'ECHO' }, billing: { description: 'by ECHO' }, legacy: {} },
  'team-access': { Platform: { sre: 'read' } },
} as const;

/** Every command, with flags that make it write all the files it can, in an order in which each finds what it needs. */
const runs: readonly (readonly string[])[] = [
  ['validate', '--report', 'validate.html'],
  ['roots', '--format', 'json'],
  ['explain', 'workspace.network'],
  ['render'],
  ['access'],
  ['access', '--state-for', 'network', '--format', 'json'],
  ['doctor'],
  ['doctor', '--format', 'json'],
  ['accept', '--all', '--dry-run'],
  ['snapshot', '--out', 'live.json'],
  ['plan', '--snapshot', 'live.json'],
  ['plan', '--out', 'saved.json', ...reports('plan')],
  ['plan', '--format', 'json'],
  ['show', 'saved.json'],
  ['drift', ...reports('drift')],
  ['watch', '--once', '--max-age', '1h'],
  ['apply', '--yes', ...reports('apply')],
  ['plan', '--out', 'again.json'],
  ['apply', '--plan', 'again.json', '--yes'],
  ['import', '--out', 'imported', '--format', 'json'],
  ['import', '--names', '--out', 'portable'],
  ['export', 'terraform', '--out', 'terraform'],
  ['workspace', 'list', '--format', 'json'],
  ['workspace', 'show', 'network'],
  ['workspace', 'unlock', 'network', '--yes'],
  ['workspace', 'lock', 'network'],
  ['undo', '--last', '--yes', '--journal', 'back.ndjson', ...reports('undo')],
  ['init', 'fresh', '--organization', 'acme', '--import', '--ci', 'github', '--force', '--yes'],
  ['completion', 'bash'],
  ['__complete', '', 'attune', 'workspace', 'show', ''],
];

function reports(name: string): string[] {
  return reportFileExtensions.flatMap((end) => ['--report', `${name}${end}`]);
}

const handlingErrors = ['doctor', 'plan', 'watch', 'apply', 'import', 'init'];

/** Those that have no service to ask. */
const unconnected: readonly unknown[] = ['completion', '__complete', 'explain', 'render', 'roots'];
/** It is a service, and has no token. */
const withoutToken = ['emulator', 'options'];

const answering = (answer: (response: ServerResponse) => void) =>
  serverWith((_request, response) => answer(response));

/** Services that bring the token back. */
const echoing: Readonly<Record<string, () => Promise<string>>> = {
  'in its documents, also in escapes': async () => {
    const escaped = [...token].map(
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    const service = await mutatingService((await serviceWith({ seed })).url);
    service.mutate = (text) =>
      text
        .replaceAll('by ECHO', () => escaped.join(''))
        .replaceAll('ECHO', () => JSON.stringify(token).slice(1, -1));
    return service.url;
  },
  'in an error': () => answering((response) => response.writeHead(403).end(refusal)),
  'in a page': () => answering((response) => response.writeHead(502).end(`<html>Bearer ${token}</html>`)),
  'in a redirect': () =>
    answering((response) =>
      response.writeHead(302, { location: `http://elsewhere.example/${encodeURIComponent(token)}` }).end(),
    ),
};
const refusal = JSON.stringify({ errors: [{ title: token, detail: token, source: { pointer: token } }] });

async function everyByteOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return (await Promise.all(texts.map(async (path) => `${path}\n${await readFile(path, 'latin1')}`))).join(
    '\n',
  );
}

test('the token test runs every command', async () => {
  const io = { stdout: { write: () => {} } } as unknown as Io;
  const names = leaves(await createWholeProgram({ io, exit: () => {} }));
  const missing = names.filter(
    (name) =>
      ![...runs.map((argv) => argv.join(' ')), ...withoutToken].some((run) =>
        `${run} `.startsWith(`${name} `),
      ),
  );
  expect(missing).toEqual([]);
});

test.each(Object.entries(echoing))(
  'no command writes the token if the service echoes it %s',
  async (where, start) => {
    const folder = await folderWith(files);
    const address = await start();
    const failed: string[] = [];
    let printed = '';
    // Errors of requests are written in one place: the others run commands that handle them differently.
    const played = where.startsWith('in its documents')
      ? runs
      : runs.filter(([command = '']) => handlingErrors.includes(command));
    for (const argv of played) {
      const ran = await attune(
        [...argv, ...(unconnected.includes(argv[0]) ? [] : ['--verbose', '--address', address])],
        { cwd: folder, env: { ATTUNE_TOKEN: token }, clock: jumpingClock() },
      );
      if (ran.code === 1) failed.push(`${argv.join(' ')}\n${ran.stdout}${ran.stderr}`);
      printed += `${argv.join(' ')}\n${ran.stdout}${ran.stderr}`;
    }
    const all = printed + (await everyByteOf(folder));
    expect(spellings.filter((spelling) => all.includes(spelling))).toEqual([]);
    expect(process.title).not.toContain('Zx9Qm');
    // The runs did meet the token: all do their work, and print the answers of the service.
    if (where.startsWith('in its documents')) expect(failed).toEqual([]);
    if (where !== 'in a page') expect(printed.includes(where === 'in a redirect' ? '302' : '***')).toBe(true);
  },
);

function answerHalf(response: ServerResponse) {
  response.writeHead(200, { 'content-length': 1000 }).write(token);
  setImmediate(() => response.destroy());
}

test.each<[string, (response: ServerResponse) => void]>([
  ['a refusal', (response) => response.writeHead(403).end(refusal)],
  ['a page', (response) => response.end(`<html>${token}</html>`)],
  ['a redirect', (response) => response.writeHead(302, { location: `http://${token}` }).end()],
  ['half an answer', answerHalf],
  ['no answer', (response) => void response.destroy()],
])(
  'the token is in no error that the library throws, however deep the error is inspected: %s',
  async (_title, answer) => {
    expect(spellings.filter(await shownError(await answering(answer)))).toEqual([]);
  },
);

test('the library error of a refused connection has no token', async () => {
  expect(spellings.filter(await shownError('http://127.0.0.1:1'))).toEqual([]);
});

/** Looks into every corner of the error of a request. */
async function shownError(address: string): Promise<(spelling: string) => boolean> {
  const client = createServiceClient({ address: new URL(address), token, clock: jumpingClock() });
  const error = await client.get('/workspaces/ws-1').catch((thrown: unknown) => thrown);
  await client.close();
  expect(error).toBeInstanceOf(AttuneError);
  const shown = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true });
  return (spelling) => shown.includes(spelling);
}

/** The names of all commands that do something. */
function leaves(command: Command): string[] {
  return command.commands.length === 0
    ? [command.name()]
    : command.commands.flatMap((child) =>
        leaves(child).map((name) => (child.commands.length === 0 ? name : `${child.name()} ${name}`)),
      );
}
