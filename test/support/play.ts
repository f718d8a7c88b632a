import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { Emulator } from '../../src/emulator/index.ts';
import { canonicalDigest } from '../../src/model/value.ts';
import type { Clock } from '../../src/service/clock.ts';
import { ask } from './ask.ts';
import { attune } from './attune.ts';
import { compactJson } from './compact-json.ts';
import { documentErrors } from './document-errors.ts';

/** Where the commands of a script run. */
export interface Stage {
  readonly folder: string;
  /** By the host that files and commands have for it. Commands get the address of `service`. */
  readonly services: Readonly<Record<string, Emulator>>;
  /** Instead of that of `service`. */
  readonly address?: string | undefined;
  readonly clock?: Clock | undefined;
  /** The time of commands without their own. */
  readonly at?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  /** Called by `service` for each request. */
  readonly hooks?: { onRequest?: ((method: string) => void) | undefined };
}

/** Commands that make no request. */
const offline =
  /^(show|validate|render|explain|init|roots|help|completion)( |$)| --(snapshot|address)|^\S+ --help/;

/**
 * Runs the commands of a script, and returns it with what they print.
 *
 *     $ attune plan            a command; its stdout follows, a JSON document in fewer lines
 *     [exit 1] error: ...      its exit code if it is not 0, and its stderr; with exit code 0 after `[stderr]`
 *     $ attune plan | grep x | pick a.b | from x     lines of both streams, parts of a document, or stdout from or `until` a line;
 *                              `match` prints the matches of each line, and `ok` nothing if the exit code is 0
 *     $ attune plan  # at 2026-12-24T12:00:00Z       options: its time, `answer` to its questions, `stop after` some writes,
 *     [request GET /path]                            `in` a folder, `offline` without an address, `env` with variables;
 *                              `requests` and `writes` are what the service saw, reads between writes sorted
 *     $ service PATCH /workspaces/ws-a {...}         a request of another client with a body in YAML; `faults` sets faults
 *     $ cat > file             the file gets the lines after it; `cat`, `ls`, `cmp`, `rm`, `mv`, `cp`, `mkdir`, `ln` and
 *                              `sed` are those of a shell with one or two paths
 *     $ rm x && attune plan    steps in one line
 *     $ forge plan.json changes.0.id x       replaces a part of a document, and makes its digest fit
 */
export async function playScript(script: string, stage: Stage): Promise<string> {
  const played: string[] = [];
  for (const block of script.split(/^(?=\$ )/m)) {
    const [, line, text = ''] = /^\$ (.*)\n?([\s\S]*)$/.exec(block) ?? [];
    if (line === undefined) played.push(block);
    else {
      const lines: string[] = [];
      for (const one of line.split(' && ')) lines.push(await step(one, text, stage));
      const printed = plain(lines.join(''), stage).trimEnd();
      played.push(`$ ${line}\n${printed === '' ? '' : `${printed}\n`}`);
    }
  }
  return `${played.join('').trimEnd()}\n`;
}

function plain(text: string, { services, address, folder }: Stage): string {
  const urls = Object.entries(services).map(([host, { url }]) => [url, host] as const);
  return (
    [...urls, ...(address === undefined ? [] : [[address, 'service'] as const])]
      .reduce(
        (all, [url, host]) => all.replaceAll(url, `http://${host}`).replaceAll(new URL(url).host, host),
        text,
      )
      .replaceAll(folder, '<folder>')
      // The port is part of the address, and the address of what is digested.
      .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:...')
  );
}

async function step(line: string, text: string, stage: Stage): Promise<string> {
  const [command = '', ...options] = line.split('  # ');
  const [first = '', ...filters] = command.split(' | ');
  const [program = '', ...given] = words(first);
  if (program === 'attune') return run(first.slice('attune '.length), filters, options, stage);
  const service = stage.services.service ?? Object.values(stage.services)[0];
  if (program === 'forge') {
    const [, file = '', part = '', value = ''] = /^forge (\S+) (\S+) (.*)$/.exec(command) ?? [];
    const path = join(stage.folder, file);
    writeFileSync(path, forged(readFileSync(path, 'utf8'), part, value));
    return '';
  }
  if (program === 'service' && service !== undefined) {
    const [, method = '', path = '', body] = /^service (\S+) (\S+)(?: (.*))?$/.exec(command) ?? [];
    const headers = { authorization: `Bearer ${Object.values(stage.env ?? {})[0] ?? 'test-token'}` };
    const { status } = await ask(service, method, path, body && parse(body), headers);
    return status < 400 ? '' : `[status ${status}]\n`;
  }
  if (program === 'faults') {
    service?.setFaults(parse(command.slice('faults '.length)));
    return '';
  }
  return shell(program, given, text, filters, stage).catch((error) => `[${error.code ?? error.message}]\n`);
}

async function shell(
  program: string,
  given: readonly string[],
  text: string,
  filters: readonly string[],
  { folder, services }: Stage,
): Promise<string> {
  const [first = '', second = ''] = given.filter((word) => !word.startsWith('-') && word !== '>');
  const [path, other] = [join(folder, first), join(folder, second)];
  if (program === 'cat' && given[0] === '>') {
    writeIn(path, addressed(`${text.trimEnd()}\n`, services));
    return `${text.trimEnd()}\n`;
  }
  if (program === 'cat') return filtered(readFileSync(path, 'utf8'), filters);
  if (program === 'ls') return `${readdirSync(path).sort().join(' ')}\n`;
  if (program === 'rm') rmSync(path, { recursive: true });
  else if (program === 'mv') renameSync(path, other);
  else if (program === 'cp') cpSync(path, other, { recursive: true });
  else if (program === 'mkdir') mkdirSync(path, { recursive: true });
  else if (program === 'ln') symlinkSync(first, other);
  else if (program === 'sed') {
    const [, from = '', to = ''] = /^s(?:\/(.*)\/(.*)\/|\|(.*)\|(.*)\|)$/.exec(first)?.filter(Boolean) ?? [];
    const before = readFileSync(other, 'utf8');
    const after = before.replaceAll(
      new RegExp(addressed(from, services), 'gm'),
      addressed(to, services).replaceAll('\\n', '\n'),
    );
    expect(after, `sed ${first}`).not.toBe(before);
    writeFileSync(other, after);
  } else if (program === 'cmp') {
    return readFileSync(path, 'utf8') === readFileSync(other, 'utf8') ? '' : '[different]\n';
  } else throw new Error(`unknown step: ${program}`);
  return '';
}

/** Replaces a part of a document, removes it with `none`, or adds it to a list, and makes the digest fit. */
function forged(text: string, path: string, value: string): string {
  const { digest: _former, ...document } = JSON.parse(text);
  const keys = path.split('.');
  const parent = partOf(document, keys.slice(0, -1)) as Record<string, unknown> | unknown[];
  const last = keys.at(-1) ?? '';
  const added = value === 'none' ? [] : [parse(value)];
  if (Array.isArray(parent)) parent.splice(Number(last), 1, ...added);
  else Object.assign(parent, { [last]: added[0] });
  return JSON.stringify({ ...document, digest: canonicalDigest(document) });
}

export function writeIn(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A text with the addresses of the services. */
export function addressed(text: string, services: Stage['services']): string {
  return Object.entries(services).reduce(
    (all, [host, { url }]) => all.replaceAll(new RegExp(`http://${host}(?![-.\\w])`, 'g'), url),
    text,
  );
}

async function run(
  command: string,
  filters: readonly string[],
  options: readonly string[],
  stage: Stage,
): Promise<string> {
  const { folder, services } = stage;
  const service = services.service;
  const option = (name: string) =>
    options.find((one) => one === name || one.startsWith(`${name} `))?.slice(name.length + 1);
  for (const one of Object.values(services)) one.clearRequests();
  const address = stage.address ?? service?.url;
  const isOffline = address === undefined || offline.test(command) || option('offline') !== undefined;
  const argv = [...words(addressed(command, services)), ...(isOffline ? [] : ['--address', address])];
  const at = option('at') ?? stage.at;
  const writesLeft = option('stop after');
  const answer = option('answer')?.split(', ');
  const stop = new AbortController();
  if (writesLeft === '0') stop.abort();
  let writesSeen = 0;
  const hooks = stage.hooks ?? {};
  hooks.onRequest = (method) => {
    if (method === 'GET') return;
    writesSeen += 1;
    if (String(writesSeen) === writesLeft) stop.abort();
  };
  const { code, stdout, stderr } = await attune(argv, {
    cwd: join(folder, option('in') ?? '.'),
    env: { ATTUNE_TOKEN: 'test-token', ...stage.env, ...parse(addressed(option('env') ?? '{}', services)) },
    ...(stage.clock && { clock: stage.clock }),
    ...(stage.columns !== undefined && { columns: stage.columns }),
    ...(at !== undefined && { date: () => new Date(at) }),
    ...(answer && { answer: answer.length === 1 ? (answer[0] ?? '') : answer }),
    ...(writesLeft !== undefined && {
      interrupts: {
        stop: stop.signal,
        exitCode: () => (stop.signal.aborted ? 130 : undefined),
        release: () => {},
      },
    }),
  });
  const requests = option('requests') !== undefined ? inStableOrder(service?.requests ?? []) : [];
  const writes = option('writes') !== undefined ? written(service) : [];
  const shown = filtered(shownDocument(stdout, filters), filters);
  const errors = filtered(
    stderr,
    filters.filter((filter) => /^(grep|match) /.test(filter)),
  );
  if (filters.includes('ok') && code === 0) return '';
  const ended = code !== 0 ? `[exit ${code}]` : errors === '' ? '' : '[stderr]';
  const rest = errors === '' ? '' : `${errors.startsWith('\n') ? '' : ' '}${errors.trimEnd()}`;
  const sent = packed([...requests, ...writes]);
  return [`${shown}${ended}${rest}`.replace(/\n$/, ''), ...sent].map((part) => part && `${part}\n`).join('');
}

/** As many requests in a line as fit. */
function packed(requests: readonly string[]): string[] {
  const lines: string[] = [];
  for (const request of requests) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + request.length < 120)
      lines[lines.length - 1] = `${last}; ${request}`;
    else lines.push(request);
  }
  return lines.map((line) => `[request ${line}]`);
}

function written(service: Emulator | undefined): string[] {
  return inStableOrder(service?.requests ?? []).filter((request) => !request.startsWith('GET '));
}

/** A JSON document in fewer lines, unless parts of it are picked, and any other text. */
function shownDocument(text: string, filters: readonly string[]): string {
  if (!/^\{\s+"/.test(text)) return text;
  const document = JSON.parse(text);
  expect(text).toBe(`${JSON.stringify(document, null, 2)}\n`);
  // Lists of root files, and files of Terraform and SARIF, have no schema of Attune.
  if ('format' in document && document.format !== 'attune.roots/1')
    expect(documentErrors(document)).toEqual([]);
  return filters.some((filter) => filter.startsWith('pick ')) ? text : `${compactJson(document)}\n`;
}

function picked(document: unknown, paths: readonly string[]): string {
  return paths.map((path) => `${path}: ${compactJson(partOf(document, path.split('.')))}\n`).join('');
}

function partOf(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value;
  if (Array.isArray(value) && !/^\d+$/.test(key)) return value.map((one) => partOf(one, [key, ...rest]));
  return partOf((value as Readonly<Record<string, unknown>> | undefined)?.[key], rest) ?? null;
}

function filtered(text: string, filters: readonly string[]): string {
  return filters.reduce((lines, filter) => {
    const [, name, quoted = ''] = /^(\S+) (.*)$/.exec(filter) ?? [];
    const pattern = new RegExp(quoted.replace(/^(['"])(.*)\1$/, '$2'));
    const all = lines.match(/.*\n|.+$/g) ?? [];
    const matches = (line: string) => pattern.test(line.replace(/\n$/, ''));
    if (name === 'pick') return picked(JSON.parse(lines), quoted.split(' '));
    if (name === 'match') {
      const matched = all.flatMap((line) => line.match(new RegExp(pattern, 'g'))?.join(' ') ?? []);
      return matched.map((one) => `${one}\n`).join('');
    }
    if (name === 'grep') return all.filter(matches).join('');
    const found = all.findIndex(matches);
    if (name === 'until') return found < 0 ? lines : all.slice(0, found + 1).join('');
    if (name !== 'from') return lines;
    return found < 0 ? '' : all.slice(found).join('');
  }, text);
}

/** Reads are sent in parallel, so those between two writes are sorted. */
function inStableOrder(requests: readonly { readonly method: string; readonly path: string }[]): string[] {
  const ordered: string[] = [];
  let reads: string[] = [];
  for (const { method, path } of requests) {
    if (method === 'GET') reads.push(`${method} ${path}`);
    else {
      ordered.push(...reads.sort(), `${method} ${path}`);
      reads = [];
    }
  }
  return [...ordered, ...reads.sort()];
}

/** Splits a command line; single and double quotes hold words together. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}
