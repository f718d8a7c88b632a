import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { EmulatorError, type Seed, startEmulator } from '../../src/emulator/index.ts';
import { folderWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';
const seedFile = async (text: string) => join(await folderWith({ 'seed.yaml': text }), 'seed.yaml');

it('an empty seed file is an empty seed', async () => {
  const { ask } = await serve({ seed: await seedFile('# nothing yet\n') });
  expect((await ask('GET', list)).status).toBe(200);
});

it('a seed supports anchors and merge keys', async () => {
  const yaml = 'workspaces:\n  a: &base {auto-apply: true}\n  b: {<<: *base, description: b}\n';
  const { ask } = await serve({ seed: await seedFile(yaml) });
  const { attributes } = (await ask('GET', `${list}/b`)).body.data;
  expect(attributes).toMatchObject({ 'auto-apply': true, description: 'b' });
});

it.each(rowsIn<[string, string, string]>`
- [an unknown key, "workspaces:\n  a:\n    auto-aply: true\n", "seed.yaml: workspaces.a.auto-aply is not a known key"]
- [a wrong type, "workspaces:\n  a:\n    auto-apply: yes please\n", "seed.yaml: workspaces.a.auto-apply must be boolean"]
- [a wrong value, "workspaces:\n  a: {execution-mode: cloud}\n", "seed.yaml: workspaces.a.execution-mode must be equal to one of the allowed values: remote, local, agent"]
- [an unknown project, "workspaces:\n  a: {project: Nowhere}\n", "seed.yaml: workspaces.a.project: the seed has no project Nowhere"]
- [an unknown consumer, "workspaces:\n  a: {remote-state-consumers: [b]}\n", the seed has no workspace b]
- [itself as consumer, "workspaces:\n  a: {remote-state-consumers: [a]}\n", cannot be its own consumer]
- [a rule of the interface, "workspaces:\n  a: {execution-mode: agent}\n", must be specified when using 'agent' execution mode]
- [a level without permissions that has some, "projects: {P: }\nteams: {t: }\nteam-access: {P: {t: {access: read, workspace-access: {runs: read}}}}\n", can be set only when access is custom]
- [an unknown level, "projects: {P: }\nteams: {t: }\nteam-access: {P: {t: super}}\n", "team-access.P.t must be equal to one of the allowed values: read, write"]
- [the agent mode of a project without a pool, "projects: {P: {default-execution-mode: agent}}\n", "default-execution-mode: agent and default-agent-pool require each other"]
- [an id that is used twice, "projects: {A: prj-1, B: prj-1}\n", the id prj-1 is used twice]
- [YAML that is none, "workspaces: [\n", "end with a ] at line 2, column 1"]
- [a key that is there twice, "teams: {}\nteams: {}\n", Map keys must be unique]
- [a token of an unknown workspace, "tokens: {t: {role: reader, workspaces: [x]}}\n", the seed has no workspace x]
- [an unknown anchor, "workspaces: {a: {tags: *t}}\nprojects: {*u : x}\n", "(the anchor must be set before the alias): t"]
- [a merge of a text, "workspaces: {a: {<<: x}}\n", cannot read the seed]
- [both one organization and several, "organizations: {acme: }\nprojects: {A: }\n", move all other keys into one of the organizations]
- [several wrong types, "projects: [Shop]\nworkspaces: {a: {tags: prod}}\n", "seed.yaml: projects must be a mapping; workspaces.a.tags must be a list"]
- [several unknown keys, "workspaces:\n  a: {nope: 1}\n  b: {nope: 2}\n", "workspaces.a.nope is not a known key; workspaces.b.nope is not a known key"]
- [too many aliases, "workspaces: {a: &a [x], b: &b [*a, *a, *a, *a, *a, *a, *a, *a], c: &c [*b, *b, *b, *b, *b, *b, *b, *b], d: &d [*c, *c, *c, *c, *c, *c, *c, *c], e: &e [*d, *d, *d, *d, *d, *d, *d, *d], f: &f [*e, *e, *e, *e, *e, *e, *e, *e]}\n", Excessive alias count]
`)('a seed with %s is an error with its file and key', async (_title, text, message) => {
  const seed = await seedFile(text);
  await expect(startEmulator({ seed })).rejects.toThrow(EmulatorError);
  await expect(startEmulator({ seed })).rejects.toThrow(message);
});

it.each([
  ['text', 'TOKEN=hunter2\n'],
  ['YAML', 'hunter2: 1\nother: {hunter2: 3}\n'],
  ['broken YAML', '- "hunter2\n*hunter2 : ['],
  ['an unknown alias', 'a: *hunter2\n'],
  ['a list', '[hunter2]\n'],
  ['JSON', '{"private_key": "hunter2", "hunter2": 1}\n'],
])('a file that is not a seed is refused without its content: %s', async (_title, text) => {
  const seed = await seedFile(text);
  const error = await startEmulator({ seed }).catch((reason: unknown) => reason);
  expect(error).toMatchObject({
    code: 'bad-data',
    message: `${seed} is not a seed: it has no key of a seed`,
    hint: 'name a YAML file with keys such as organization, projects and workspaces',
  });
  expect(inspect(error, { depth: 9 })).not.toMatch(/hunter2|private_key/);
});

it('a seed of plain data is checked against the schema too', async () => {
  const seed = { workspaces: { a: { nope: 1 } } } as Seed;
  await expect(startEmulator({ seed })).rejects.toThrow(/^seed: workspaces\.a\.nope is not a known key$/);
});

it('a missing seed file is an error that names it', async () => {
  await expect(startEmulator({ seed: join(await folderWith({}), 'none.yaml') })).rejects.toThrow(
    /cannot read the seed .*none.yaml: it does not exist$/,
  );
});

it('every key of schemas/emulator-seed.schema.json has a description', async () => {
  const schema = await readFile(new URL('../../schemas/emulator-seed.schema.json', import.meta.url), 'utf8');
  const missing: string[] = [];
  const walk = (node: unknown, path: string) => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (path.endsWith('/properties') && !('description' in value)) missing.push(`${path}/${key}`);
      walk(value, `${path}/${key}`);
    }
  };
  walk(JSON.parse(schema), '');
  expect(missing).toEqual([]);
});
