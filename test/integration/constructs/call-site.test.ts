import { spawnSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compile, programWith } from '../../support/program-folder.ts';

const source = `\
import { App, Organization, Workspace } from 'attune/constructs';
import type { Construct } from 'constructs';

class Service extends Workspace {
  constructor(scope: Construct, id: string) {
    super(scope, id, { autoApply: true });
  }
}

function inFunction(scope: Construct): Workspace {
  return new Service(scope, 'in-function');
}

const app = new App();
const acme = new Organization(app, 'acme');
new Service(acme, 'extended').allowStateReadBy(inFunction(acme));
await app.synth();
`;

/** Runs the program above as JavaScript and returns the places that it writes. */
async function placesWith(compiler: object, flags: readonly string[] = []): Promise<string[]> {
  const files = { 'src/main.ts': source };
  const folder = await programWith(files, { rootDir: 'src', outDir: 'dist', ...compiler });
  expect(compile(folder)).toBe('');
  const { status, stderr } = spawnSync(process.execPath, [...flags, 'dist/main.js'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  const text = await readFile(join(folder, 'attune.out/acme.yaml'), 'utf8');
  await rm(folder, { recursive: true });
  return [...text.matchAll(/^ {4}(\/workspaces\/.*)$/gm)].map(([, place = '']) => place);
}

test('the places of constructs are in the TypeScript if Node applies the source maps', async () => {
  expect(await placesWith({ sourceMap: true }, ['--enable-source-maps'])).toEqual([
    '/workspaces/extended: ../src/main.ts:16:1 acme/extended',
    '/workspaces/extended/remote-state-consumers: ../src/main.ts:16:31 acme/extended',
    '/workspaces/extended/remote-state-consumers/0: ../src/main.ts:16:31 acme/extended',
    '/workspaces/in-function: ../src/main.ts:11:10 acme/in-function',
  ]);
});

test('the places of constructs without source maps are in the JavaScript, whatever limit there is to stack traces', async () => {
  const places = await placesWith({}, ['--stack-trace-limit=0']);
  expect(places[0]).toBe('/workspaces/extended: ../dist/main.js:12:1 acme/extended');
});
