import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Resource } from '../../src/model/state.ts';
import { configured } from './load-files.ts';

/** Cases of states.txt: a title after `== `, the root file after its first two lines, and the attributes by address. */
const cases = readFileSync(join(import.meta.dirname, 'states.txt'), 'utf8')
  .split(/^== /m)
  .slice(1)
  .map((text) => {
    const [, title, yaml, attributes] =
      /^(.*)\n([\s\S]*?)^((?:workspace|team-access)\.[\s\S]*)/m.exec(text) ?? [];
    return { title, yaml: yaml ?? '', attributes: parse(attributes ?? '') };
  });

async function resources(yaml: string): Promise<ReadonlyMap<string, Resource>> {
  return (await configured(yaml)).desired.resources;
}

test.each(cases)('the files declare this state: $title', async ({ yaml, attributes }) => {
  const found = [...(await resources(yaml))].map(([address, resource]) => [address, resource.attributes]);
  expect(Object.fromEntries(found)).toEqual(attributes);
});

test('a merge key of YAML yields to own keys, and the first merged mapping wins', async () => {
  const found = await resources(`
templates:
  base: &base {auto-apply: true, description: base}
  more: &more {description: more, speculative-enabled: false}
workspaces:
  a: *base
  b: {<<: *base, description: b}
  c:
    <<: [*more, *base]
    trigger-prefixes: &list [x]
  d: {trigger-prefixes: *list}
`);
  expect([...found.values()].map((one) => one.attributes)).toEqual(
    parse(`
- {auto-apply: true, description: base}
- {auto-apply: true, description: b}
- {auto-apply: true, description: more, speculative-enabled: false, trigger-prefixes: [x]}
- {trigger-prefixes: [x]}
`),
  );
  // What an alias or a merge brings in points at where it is written.
  expect(found.get('workspace.a')?.declared?.locations?.['auto-apply']).toEqual(at(4, 16));
  expect(found.get('workspace.b')?.declared?.locations).toEqual({
    'auto-apply': at(4, 16),
    description: at(8, 18),
  });
  expect(found.get('workspace.c')?.declared?.locations?.['speculative-enabled']).toEqual(at(5, 35));
});

test('the state has the declaration of each workspace in its file', async () => {
  const found = await resources(`
defaults: {workspace: {protect: true}}
workspaces:
  a: {renamed-from: old, auto-apply: true}
  b: {protect: false}
  c: {state: absent, protect: false}
  d: {state: absent, delete: force, protect: false}
`);
  const locations = { 'auto-apply': at(5, 26), protect: at(3, 24), 'renamed-from': at(5, 7) };
  expect(found.get('workspace.a')).toEqual({
    ...{ kind: 'workspace', address: 'workspace.a', name: 'a', attributes: { 'auto-apply': true } },
    ...{ location: at(5, 3), declared: { renamedFrom: 'old', protect: true, locations } },
  });
  expect(found.get('workspace.b')?.declared).toEqual({ protect: false, locations: { protect: at(6, 7) } });
  expect(found.get('workspace.c')?.declared).toEqual({ absent: 'safe' });
  expect(found.get('workspace.d')?.declared).toEqual({ absent: 'force' });
});

test('the settings of a file have their defaults where they are not given, and paths relative to the root file', async () => {
  const limitsOf = async (yaml: string) => (await configured(yaml)).limits;
  const bare = await configured('');
  expect(bare).toMatchObject({ service: {}, prune: { workspaces: 'keep', teamAccess: false } });
  expect([bare.scope, bare.limits]).toEqual([
    undefined,
    expect.objectContaining({ deletes: 10, deletePercent: 30 }),
  ]);
  expect(await limitsOf('limits: {deletes: 5}')).toMatchObject({ deletes: 5, deletePercent: 30 });
  expect(await limitsOf('limits: {delete-percent: 5}')).toMatchObject({ deletes: 10, deletePercent: 5 });
  const full = await configured(`
service: {address: https://iac.example.com/, dialect: terraform, rate: 0.5, parallelism: 4, timeout: 1.5, data: .attune/data.json, seed: ./seeds/../seed.yaml}
projects: {p: prj-1}
team-access: {p: {}, prj-2: {}}
scope: {projects: [p, prj-2], tags: [managed], names: ["*-prod"]}
prune: {workspaces: force, team-access: true}
limits: {deletes: 5, delete-percent: 20}
guards: {protect: ["*-prod", {tag: [a, b], project: [p, prj-2], except: x}]}
`);
  const { service, ...expected } = parse(`
service: {address: https://iac.example.com, dialect: terraform, rate: 0.5, parallelism: 4, timeout: 1.5}
scope: {projects: [prj-1, prj-2], tags: [managed], names: ["*-prod"], adopt: [], enforce: true}
prune: {workspaces: force, teamAccess: true}
limits: {deletes: 5, deletePercent: 20}
guards:
  protect:
    - {selector: {name: "*-prod"}, written: '"*-prod"'}
    - {selector: {tag: [a, b], project: [prj-1, prj-2], except: x}, written: '{tag: ["a", "b"], project: ["p", "prj-2"], except: "x"}'}
`);
  const paths = { data: join(full.folder, '.attune', 'data.json'), seed: join(full.folder, 'seed.yaml') };
  expect(full).toMatchObject({ ...expected, service: { ...service, ...paths } });
  expect([...full.grantProjects]).toEqual([
    ['prj-1', 'p'],
    ['prj-2', 'prj-2'],
  ]);
  expect(full.aliases.projects.get('p')).toBe('prj-1');
});

function at(line: number, column: number) {
  return { file: 'attune.yaml', line, column };
}
