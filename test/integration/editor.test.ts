import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith } from '../support/attune.ts';
import { root } from '../support/pages.ts';
import { rowsIn } from '../support/rows.ts';

type Json = Readonly<Record<string, unknown>>;

interface Problem {
  readonly message: string;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}

/** A repository in which Attune is installed, and the YAML language server of editors, which ends with the test. */
async function editor() {
  const folder = await folderWith({});
  const schemas = join(folder, 'node_modules/attune/schemas');
  await mkdir(schemas, { recursive: true });
  await cp(join(root, 'schemas'), schemas, { recursive: true });
  const bin = join(root, 'scripts/node_modules/yaml-language-server/bin/yaml-language-server');
  const server = spawn(process.execPath, [bin, '--stdio']);
  onTestFinished(() => void server.kill());
  // It can end before it has read an answer.
  server.stdin.on('error', () => {});
  const { request, notify, next } = messagesOf(server);
  const rootUri = pathToFileURL(folder).href;
  const capabilities = { textDocument: { completion: { completionItem: { snippetSupport: true } } } };
  await request('initialize', { processId: process.pid, rootUri, capabilities });
  notify('initialized', {});
  const yaml = { validate: true, hover: true, completion: true, schemaStore: { enable: false } };
  notify('workspace/didChangeConfiguration', { settings: { yaml } });

  const head =
    '# yaml-language-server: $schema=./node_modules/attune/schemas/attune.schema.json\nattune: 1\norganization: acme\n';
  let count = 0;
  const open = (marked: string) => {
    const before = (head + marked.slice(0, marked.indexOf('|'))).split('\n');
    const uri = `${rootUri}/document-${++count}.yaml`;
    const textDocument = { uri, languageId: 'yaml', version: 1, text: head + marked.replace('|', '') };
    notify('textDocument/didOpen', { textDocument });
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    return { textDocument: { uri }, position };
  };
  return {
    /** What is inserted at the `|` of a document, by what is offered. */
    inserted: async (text: string): Promise<Readonly<Record<string, string>>> => {
      const answer = await request('textDocument/completion', open(text));
      const items = answer?.items as readonly { readonly label: string; readonly insertText: string }[];
      return Object.fromEntries(items.map(({ label, insertText }) => [label, insertText]));
    },
    /** What is shown for the key at the `|` of a document. */
    hover: async (text: string) => {
      const answer = await request('textDocument/hover', open(text));
      return String((answer?.contents as Json | undefined)?.value ?? '');
    },
    /** What is underlined, as `line:column message`. */
    problems: async (text: string) => {
      const { uri } = open(`${text}|`).textDocument;
      const { diagnostics } = await next('textDocument/publishDiagnostics', uri);
      return (diagnostics as readonly Problem[]).map(
        ({ message, range: { start } }) => `${start.line + 1}:${start.character + 1} ${message}`,
      );
    },
  };
}

/** JSON-RPC over stdio: each message has its length in a header. */
function messagesOf(server: ChildProcessWithoutNullStreams) {
  const answers = new Map<number, (result: Json | undefined) => void>();
  const waiting = new Map<string, (params: Json) => void>();
  const send = (message: Json) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const receive = (message: Json) => {
    const { id, method, params, result } = message;
    if (typeof method !== 'string') answers.get(id as number)?.(result as Json | undefined);
    // The server asks for settings and registers capabilities.
    else if (id !== undefined) send({ id, result: method === 'workspace/configuration' ? [] : null });
    else if (method === 'textDocument/publishDiagnostics')
      waiting.get(`${method} ${(params as Json).uri}`)?.(params as Json);
  };
  let buffer = Buffer.alloc(0);
  server.stdout.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const header = /^Content-Length: (\d+)\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(buffer.toString('latin1'));
      const end = header ? header[0].length + Number(header[1]) : Number.POSITIVE_INFINITY;
      if (!header || buffer.length < end) return;
      const body = buffer.subarray(header[0].length, end).toString('utf8');
      buffer = buffer.subarray(end);
      receive(JSON.parse(body));
    }
  });
  let lastId = 0;
  return {
    request: (method: string, params: Json) =>
      new Promise<Json | undefined>((resolve) => {
        const id = ++lastId;
        answers.set(id, resolve);
        send({ id, method, params });
      }),
    notify: (method: string, params: Json) => send({ method, params }),
    next: (method: string, uri: string) =>
      new Promise<Json>((resolve) => waiting.set(`${method} ${uri}`, resolve)),
  };
}

/** What is inserted at the `|` of a document, by what is offered: all of it, or at least these. `#{` is `${`. */
test('an editor completes levels, values of enumerations and forms, in every layer, and examples with their keys', async () => {
  const { inserted } = await editor();
  const rows = rowsIn<[string, 'all' | 'some', Record<string, string>]>`
- ["team-access:\n  payments:\n    sre: |\n", all, {read: read, write: write, maintain: maintain, admin: admin, none: none}]
- ["roles:\n  auditor:\n    access: |\n", some, {read: read, write: write, maintain: maintain, admin: admin, custom: custom}]
- ["service:\n  |\n", some, {rate: 'rate: #{1:20}'}]
- ["workspaces:\n  app:\n    |\n", some, {iac-version: 'iac-version: #{1:~> 1.9.0}', working-directory: 'working-directory: #{1:environments/prod}', description: 'description: #{1:Shared VPCs}'}]
- ["workspaces:\n  app:\n    lock: |\n", all, {'true': 'true', 'false': 'false', 'null': 'null'}]
- ["workspaces:\n  app:\n    execution-mode: |\n", all, {remote: remote, local: local, agent: agent}]
- ["templates:\n  service:\n    execution-mode: |\n", all, {remote: remote, local: local, agent: agent}]
- ["defaults:\n  workspace:\n    execution-mode: |\n", all, {remote: remote, local: local, agent: agent}]
`;
  for (const [text, amount, written] of rows) {
    const expected = JSON.parse(JSON.stringify(written).replaceAll('#{', '${'));
    const found = await inserted(text);
    if (amount === 'all') expect([text, found]).toEqual([text, expected]);
    else expect([text, found]).toMatchObject([text, expected]);
  }
  const forms = Object.keys(await inserted('workspaces:\n  app:\n    tags:\n      |\n'));
  expect(forms).toEqual(expect.arrayContaining(['exactly', 'add', 'remove']));
});

test('an editor shows the description of a key with an example', async () => {
  const { hover } = await editor();
  const text = await hover('service:\n  ra|te: 20\n');
  expect(text).toContain('requests per second');
  expect(text).toContain('Example:\n\n```yaml\n20\n```');
});

test('an editor underlines wrong values and unknown keys, and accepts the name of a role as a level', async () => {
  const { problems } = await editor();
  expect(
    await problems('service: {rate: fast}\nworkspaces: {app: {auto-aply: true, execution-mode: rmote}}\n'),
  ).toEqual([
    '4:17 Incorrect type. Expected "number".',
    '5:53 Value is not accepted. Valid values: "remote", "local", "agent".',
    '5:20 Property auto-aply is not allowed.',
  ]);
  const roles = 'roles: {auditor: {access: custom, workspace-access: {runs: plan}}}\n';
  const access = (level: string) =>
    problems(`${roles}team-access: {payments: {sre: ${level}, dev: {access: auditor}}}\n`);
  expect(await access('auditor')).toEqual([]);
  expect(await access('[auditor]')).not.toEqual([]);
});
