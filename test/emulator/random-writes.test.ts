import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { ask, workspaceBody } from '../support/ask.ts';
import { folderWith } from '../support/attune.ts';
import { cases } from '../support/cases.ts';

const names = ['a', 'b', 'c', 'd'] as const;
const name = fc.constantFrom(...names);
const tag = fc.constantFrom('x', 'y', 'z');

/** One write: what it does, to which workspace, with what. Many are refused, which must leave no trace either. */
const write = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), name }),
  fc.record({ kind: fc.constant('rename' as const), name, to: name }),
  fc.record({ kind: fc.constant('mode' as const), name, to: fc.constantFrom('remote', 'local', 'agent') }),
  fc.record({ kind: fc.constant('share' as const), name, to: fc.boolean() }),
  fc.record({ kind: fc.constant('tag' as const), name, to: tag }),
  fc.record({ kind: fc.constant('untag' as const), name, to: tag }),
  fc.record({ kind: fc.constant('consume' as const), name, to: name }),
  fc.record({ kind: fc.constant('lock' as const), name }),
  fc.record({ kind: fc.constant('unlock' as const), name }),
  fc.record({ kind: fc.constant('delete' as const), name }),
);
type Write = typeof write extends fc.Arbitrary<infer One> ? One : never;

const list = '/organizations/acme/workspaces';
const tagList = (to: string) => ({ data: [{ type: 'tags', attributes: { name: to } }] });

async function send(emulator: Emulator, one: Write): Promise<void> {
  const byName = `${list}/${one.name}`;
  const idOf = async (which: string) =>
    (await ask(emulator, 'GET', `${list}/${which}`)).body.data?.id ?? 'ws-none';
  const path = async () => `/workspaces/${await idOf(one.name)}`;
  switch (one.kind) {
    case 'create':
      await ask(emulator, 'POST', list, workspaceBody({ name: one.name }));
      break;
    case 'rename':
      await ask(emulator, 'PATCH', byName, workspaceBody({ name: one.to }));
      break;
    case 'mode':
      await ask(emulator, 'PATCH', byName, workspaceBody({ 'execution-mode': one.to }));
      break;
    case 'share':
      await ask(emulator, 'PATCH', byName, workspaceBody({ 'global-remote-state': one.to }));
      break;
    case 'tag':
      await ask(emulator, 'POST', `${await path()}/relationships/tags`, tagList(one.to));
      break;
    case 'untag':
      await ask(emulator, 'DELETE', `${await path()}/relationships/tags`, tagList(one.to));
      break;
    case 'consume': {
      const body = { data: [{ type: 'workspaces', id: await idOf(one.to) }] };
      await ask(emulator, 'POST', `${await path()}/relationships/remote-state-consumers`, body);
      break;
    }
    case 'lock':
    case 'unlock':
      await ask(emulator, 'POST', `${await path()}/actions/${one.kind}`);
      break;
    case 'delete':
      await ask(emulator, 'DELETE', byName);
      break;
    default:
      one satisfies never;
  }
}

/** Everything that can be read. */
async function everything(emulator: Emulator): Promise<unknown> {
  const { data } = (await ask(emulator, 'GET', `${list}?sort=name`)).body;
  const relations = [];
  for (const { id } of data) {
    for (const relation of ['tags', 'remote-state-consumers']) {
      relations.push((await ask(emulator, 'GET', `/workspaces/${id}/relationships/${relation}`)).body.data);
    }
  }
  return { data, relations, tags: (await ask(emulator, 'GET', '/organizations/acme/tags')).body.data };
}

it('the data after a kill equals the running service after any writes, and every document agrees with the others', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 5, maxLength: 40 }), async (writes) => {
      const folder = await folderWith({});
      const emulator = await startEmulator({ data: join(folder, 'data.json') });
      const copy = join(folder, 'copy.json');
      try {
        for (const one of writes) await send(emulator, one);
        const live = await everything(emulator);
        await copyFile(join(folder, 'data.json'), copy);
        const restarted = await startEmulator({ data: copy });
        try {
          expect(await everything(restarted)).toEqual(live);
        } finally {
          await restarted.stop();
        }
        const { data } = (await ask(emulator, 'GET', list)).body;
        const carried = new Set(
          data.flatMap((one: { attributes: { 'tag-names': string[] } }) => one.attributes['tag-names']),
        );
        const tags = (await ask(emulator, 'GET', '/organizations/acme/tags')).body.data;
        expect(new Set(tags.map((one: { attributes: { name: string } }) => one.attributes.name))).toEqual(
          carried,
        );
      } finally {
        await emulator.stop();
      }
    }),
    cases({ fast: 2, soak: 60 }),
  );
});
