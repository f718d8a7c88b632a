import { readFileSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from './support/attune.ts';
import { compactJson } from './support/compact-json.ts';
import { documentErrors } from './support/document-errors.ts';

/**
 * Numbered folders, one scenario each: `attune.yaml` (with its includes), `seed.yaml` with the live state, and `run.txt`
 * with commands and what they print. `UPDATE_SCENARIOS=1` writes what is printed now, to be read before it is committed.
 *
 *     $ attune plan            a command; its stdout, a JSON document in fewer lines, and, after `stderr:`, its stderr follow
 *     [exit 0]
 *     $ attune plan  # at 2026-12-24T12:00:00Z       at this time; `clock: <time>` before the commands is that of the others
 *     [request GET /path]      with `requests` after the command: the service saw exactly these, reads between writes sorted
 *
 * Every scenario ends with an apply after which the next plan is empty, unless `run.txt` has `invariants: off` and a reason.
 */
const scenarios = join(import.meta.dirname, 'scenarios');

for (const name of (await readdir(scenarios)).sort()) {
  const source = join(scenarios, name);
  test(`${name} ${title(join(source, 'run.txt'))}`, async () => {
    const folder = await folderWith({});
    await cp(source, folder, { recursive: true });
    const script = await readFile(join(source, 'run.txt'), 'utf8');
    const dialect = /^dialect: terraform$/m.test(script) ? 'terraform' : 'iac';
    const service = await serviceWith({ seed: join(folder, 'seed.yaml'), dialect });
    const clock = /^clock: (.*)$/m.exec(script)?.[1];
    const go = (line: string) => {
      const [command = '', at = clock] = line.split('  # at ');
      service.clearRequests();
      const offline = /^(show|validate|render|explain)( |$)/.test(command) || command.includes('--snapshot');
      const argv = [...words(command), ...(offline ? [] : ['--address', service.url])];
      return attune(argv, {
        cwd: folder,
        env: { ATTUNE_TOKEN: 'test-token' },
        ...(at !== undefined && { date: () => new Date(at) }),
      });
    };

    const played: string[] = [];
    for (const block of script.split(/^(?=\$ attune )/m)) {
      const command = /^\$ attune (.*)$/m.exec(block)?.[1];
      if (command === undefined) {
        played.push(block);
        continue;
      }
      const withRequests = command.endsWith('  # requests');
      const { code, stdout, stderr } = await go(command.replace(/ {2}# requests$/, ''));
      const requests = withRequests ? inStableOrder(service.requests) : [];
      played.push(
        `$ attune ${command}\n${shownDocument(stdout)}${stderr === '' ? '' : `stderr:\n${stderr}`}${requests.map((request) => `[request ${request}]\n`).join('')}[exit ${code}]\n\n`
          .replaceAll(service.url, 'http://service')
          // The port is part of the address, and the address of what is digested.
          .replaceAll(/sha256:[0-9a-f]{64}/g, 'sha256:...')
          // In the names of journals.
          .replaceAll(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(\.\d+)?/g, '<time>'),
      );
    }
    const now = `${played.join('').trimEnd()}\n`;
    if (process.env.UPDATE_SCENARIOS) await writeFile(join(source, 'run.txt'), now);
    else expect(now).toBe(script);

    if (/^invariants: off/m.test(script)) return;
    const applied = await go('apply --yes --quiet --max-deletes 1000');
    expect(applied.code, applied.stdout + applied.stderr).toBe(0);
    const again = await go('apply --yes --quiet');
    expect(again.stdout).toContain('Plan: 0 to create, 0 to update, 0 to delete');
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
}

test('every scenario has its own number', async () => {
  const numbers = (await readdir(scenarios)).map((name) => name.slice(0, 3));
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

/** A JSON document in fewer lines, and any other text. */
function shownDocument(text: string): string {
  if (!/^\{\s+"/.test(text)) return text;
  const document = JSON.parse(text);
  expect(text).toBe(`${JSON.stringify(document, null, 2)}\n`);
  // A file of Terraform starts with its comments, and has no schema.
  if (!('//' in document)) expect(documentErrors(document)).toEqual([]);
  return `${compactJson(document)}\n`;
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

/** The first line of a script is its title. */
function title(file: string): string {
  return readFileSync(file, 'utf8').split('\n')[0] ?? '';
}

/** Splits a command line; single and double quotes hold words together. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}
