import { expect, test } from 'vitest';
import { NoLookUpError } from '../../src/live/read-names.ts';
import { resolveProjects } from '../../src/resolve/look-up-names.ts';
import { configured } from '../desired/load-files.ts';
import { rowsIn } from '../support/rows.ts';

const listed = [
  { id: 'prj-1', name: 'Payments' },
  { id: 'prj-2', name: 'prj-Web' },
  { id: 'prj-3', name: 'Web prj-1' },
  { id: 'prj-4', name: 'Shop' },
  { id: 'prj-5', name: 'prj-team' },
  { id: 'prj-team', name: 'Ops' },
  { id: 'prj-ops', name: 'Labs' },
];

/** The ids of projects, or the error, and whether they needed the names of projects. */
async function resolved(written: readonly string[], error?: Error) {
  const configuration = await configured(
    'projects: {pay: Payments, edge: prj-edge, web: prj-Web, ops: {name: prj-ops}}\nworkspaces: {app: {project: pay}}\n',
  );
  let isRead = false;
  const namesOf = async () => {
    isRead = true;
    if (error) throw error;
    return listed;
  };
  const ids = await resolveProjects(written, configuration, namesOf, '--project').catch(
    ({ code, message, hint, cause }) => [code, message, hint, ...(cause === error ? [] : ['no cause'])],
  );
  return [ids, isRead];
}

test.each(rowsIn<[string, string[], string[], boolean]>`
- [an alias of an id, [edge], [prj-edge], false]
- [an id, [prj-22], [prj-22], false]
- [an alias of a name, [pay], [prj-1], true]
- [a name, [Shop, Payments, edge], [prj-4, prj-1, prj-edge], true]
- [a name that contains an id, [Web prj-1], [prj-3], true]
- [a name that can be an id, [prj-team], [prj-5], true]
- [an id that can be a name, [prj-ops], [prj-ops], true]
- [an alias of a name that can be an id, [ops], [unknown-name, '--project ops: unknown project in organization acme', 'use an alias, the exact name, or the id (prj-...)'], true]
- [a word that can be an id, [prj-nope], [unknown-name, '--project prj-nope: unknown project in organization acme', 'use an alias, the exact name, or the id (prj-...)'], true]
- [a word that begins like a name, [shop], [unknown-name, '--project shop: unknown project in organization acme', 'did you mean "Shop"?'], true]
- [a word that is near no name, [accounting], [unknown-name, '--project accounting: unknown project in organization acme', 'use an alias, the exact name, or the id (prj-...)'], true]
- [an id with more words, [prj-1 old], [unknown-name, '--project prj-1 old: unknown project in organization acme', 'use an alias, the exact name, or the id (prj-...)'], true]
`)('projects of the command line are found by %s', async (_, written, ids, isRead) => {
  expect(await resolved(written)).toEqual([ids, isRead]);
});

test('if names of projects cannot be read, the error asks for ids', async () => {
  const closed = new NoLookUpError('projects', 'the token may not list them');
  const hint = 'use the id of the project (prj-...) with --project';
  expect(await resolved(['Shop'], closed)).toEqual([[closed.code, closed.message, hint], true]);
  expect(await resolved(['prj-team'], closed)).toEqual([['prj-team'], true]);
  const other = new Error('no answer');
  expect(await resolved(['Shop'], other)).toEqual([[undefined, 'no answer', undefined, 'no cause'], true]);
});
