import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { diff } from '../../src/diff/diff.ts';
import type { Live } from '../../src/live/read-live.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import { type Resource, workspaceAddress } from '../../src/model/state.ts';
import { configured } from '../desired/load-files.ts';

/** The form of a list in a layer or a workspace; `none` where it is not declared. */
const forms = {
  layer: ['none', '[a]', '[]', '{exactly: [a]}', '{exactly: []}', '{add: [a]}', '{remove: [x]}'],
  workspace: [
    'none',
    '[b]',
    '[]',
    '{exactly: [b]}',
    '{add: [b]}',
    '{remove: [a]}',
    '{add: [b], remove: [x]}',
  ],
} as const;

const rows = forms.layer.flatMap((layer, index) =>
  forms.workspace.map((workspace, column) => ({ layer, workspace, name: `w${index}${column}`, index })),
);

/** The live entries; undefined if the workspace is created. */
const liveLists = [undefined, ['x'], ['a', 'x']] as const;
const entries = ['a', 'b', 'x'] as const;

const paths = ['tags', 'remote-state-consumers', 'trigger-patterns', 'trigger-prefixes'] as const;
type Path = (typeof paths)[number];

const declared = (path: Path, form: string) => (form === 'none' ? '' : `${path}: ${form}`);

/** One workspace per row, whose layer is a template. */
function templateFile(path: Path): string {
  return [
    'templates:',
    ...forms.layer.map((form, index) => `  t${index}: {${declared(path, form)}}`),
    'workspaces:',
    ...rows.map(({ name, index, workspace }) => {
      const own = declared(path, workspace);
      return `  ${name}: {extends: t${index}${own && `, ${own}`}}`;
    }),
    '',
  ].join('\n');
}

function liveWorkspace(name: string, id: string, attributes: Resource['attributes']): Resource {
  return { kind: 'workspace', address: workspaceAddress(name), name, id, attributes } as Resource;
}

/** The lists that the workspaces have after a plan, by name. Entries of consumers are the ids of other workspaces. */
function listsAfter(
  configuration: Configuration,
  path: Path,
  list: readonly string[] | undefined,
): ReadonlyMap<string, string> {
  const names = rows.map(({ name }) => name);
  const live: Resource[] = entries.map((entry) => liveWorkspace(entry, entry, { tags: [] }));
  if (list) live.push(...names.map((name) => liveWorkspace(name, `id-${name}`, { [path]: list })));
  const difference = diff(configuration, {
    state: { organization: 'acme', resources: new Map(live.map((item) => [item.address, item])) },
    dialect: 'iac',
    whole: true,
    scopeWhole: false,
    names: new Map(),
    projects: [],
    missing: [],
    diagnostics: [],
  } as unknown as Live);
  expect(difference.diagnostics).toEqual([]);
  return new Map(
    difference.after
      .filter((resource) => names.includes(resource.name))
      .map(({ name, attributes }) => [
        name,
        `[${[attributes[path] ?? []].flat().map(String).sort().join(', ')}]`,
      ]),
  );
}

async function table(path: Path): Promise<string[]> {
  const configuration = await configured(templateFile(path));
  const results = liveLists.map((list) => listsAfter(configuration, path, list));
  return rows.map(({ layer, workspace, name }) => {
    const cells = [layer, workspace, ...results.map((lists) => lists.get(name) ?? 'missing')];
    return `| ${cells.map((cell) => (cell === 'none' ? '' : `\`${cell}\``)).join(' | ')} |`.replaceAll(
      '|  |',
      '| |',
    );
  });
}

const page = new URL('list-forms.md', import.meta.url);
const heading = /(\| layers \| workspace \|.*\n\|[-|]+\|\n)((?:\|.*\n)*)/;

test('the table of list forms shows what each form results in', async () => {
  const computed = `${(await table('tags')).join('\n')}\n`;
  const text = readFileSync(page, 'utf8');
  if (process.env.UPDATE_TABLES) writeFileSync(page, text.replace(heading, `$1${computed}`));
  expect(heading.exec(readFileSync(page, 'utf8'))?.[2]).toBe(computed);
});

test.each(paths.slice(1))('%s follows the table of list forms', async (path) => {
  expect(await table(path)).toEqual(await table('tags'));
});

test.each(paths)('a list of %s in the defaults means the same as in a template', async (path) => {
  const inTemplates = await configured(templateFile(path));
  for (const [index, form] of forms.layer.entries()) {
    const own = rows.filter((row) => row.index === index);
    const configuration = await configured(
      [
        `defaults: {workspace: {${declared(path, form)}}}`,
        'workspaces:',
        ...own.map(({ name, workspace }) => `  ${name}: {${declared(path, workspace)}}`),
        '',
      ].join('\n'),
    );
    for (const { name } of own)
      expect(configuration.desired.resources.get(workspaceAddress(name))?.attributes).toEqual(
        inTemplates.desired.resources.get(workspaceAddress(name))?.attributes,
      );
  }
});
