import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished } from 'vitest';
import { root } from './pages.ts';

/** A completion, as an editor offers it. */
export interface Completion {
  readonly label: string;
  readonly insertText: string;
  readonly documentation: string;
}

/** The YAML language server that editors run, with one open document per question. */
export interface LanguageServer {
  /** What is offered at the `|` of a document. */
  complete(text: string): Promise<readonly Completion[]>;
  /** What is shown for the key at the `|` of a document. */
  hover(text: string): Promise<string>;
  /** What is underlined, as `line:column message`. */
  validate(text: string): Promise<readonly string[]>;
}

type Json = Readonly<Record<string, unknown>>;

/** Starts the server over stdio, as editors do; it ends with the test. Documents are in this folder. */
export async function startLanguageServer(folder: string): Promise<LanguageServer> {
  const bin = join(root, 'scripts/node_modules/yaml-language-server/bin/yaml-language-server');
  const server = spawn(process.execPath, [bin, '--stdio']);
  onTestFinished(() => void server.kill());
  const { request, notify, next } = messagesOf(server);
  const rootUri = pathToFileURL(folder).href;
  await request('initialize', {
    processId: process.pid,
    rootUri,
    capabilities: { textDocument: { completion: { completionItem: { snippetSupport: true } } } },
  });
  notify('initialized', {});
  const settings = {
    yaml: { validate: true, hover: true, completion: true, schemaStore: { enable: false } },
  };
  notify('workspace/didChangeConfiguration', { settings });

  let count = 0;
  const open = (marked: string) => {
    const before = marked.slice(0, marked.indexOf('|')).split('\n');
    const text = marked.replace('|', '');
    const uri = `${rootUri}/document-${++count}.yaml`;
    notify('textDocument/didOpen', {
      textDocument: { uri, languageId: 'yaml', version: 1, text },
    });
    return {
      textDocument: { uri },
      position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
    };
  };
  return {
    complete: async (text) => {
      const { items } = (await request('textDocument/completion', open(text))) as unknown as {
        readonly items: readonly Partial<Completion>[];
      };
      return items.map(({ label = '', insertText = '', documentation = '' }) => ({
        label,
        insertText,
        documentation: typeof documentation === 'string' ? documentation : JSON.stringify(documentation),
      }));
    },
    hover: async (text) => {
      const answer = await request('textDocument/hover', open(text));
      return String((answer?.contents as Json | undefined)?.value ?? '');
    },
    validate: async (text) => {
      const { uri } = open(`${text}|`).textDocument;
      const { diagnostics } = (await next('textDocument/publishDiagnostics', uri)) as unknown as {
        readonly diagnostics: readonly {
          readonly message: string;
          readonly range: { readonly start: { readonly line: number; readonly character: number } };
        }[];
      };
      return diagnostics.map(
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
