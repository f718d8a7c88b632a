import { expect, test } from 'vitest';
import type { LiveSource } from '../../src/live/live-source.ts';
import type { Live } from '../../src/live/read-live.ts';
import type { Change } from '../../src/model/change.ts';
import { checkVisibility } from '../../src/plan/organization-facts.ts';
import { configured } from '../desired/printed-problems.ts';

const names = [...'abcdefghij'];

/** The warnings of a plan that creates ten declared workspaces, of which a part was read. */
async function warnings(workspaceTotal: number | undefined, isReadable = true): Promise<readonly string[]> {
  const configuration = await configured(`workspaces: {${names.map((name) => `${name}: {}`)}}\n`);
  const live = {
    state: { organization: 'acme', resources: new Map() },
    whole: false,
    ...(workspaceTotal !== undefined && { workspaceTotal }),
  } as unknown as Live;
  const changes = names.map(
    (name) => ({ kind: 'workspace', address: `workspace.${name}`, action: 'create' }) as unknown as Change,
  );
  const source = { access: { organization: async () => ({ isReadable }) } } as unknown as LiveSource;
  const input = { configuration, live, difference: { changes }, source, chosen: () => true };
  return (await checkVisibility(input)).map(({ message }) => message);
}

test('a plan that creates all workspaces of an empty or unreadable organization has a warning', async () => {
  const warning = (why: string) => [
    `the plan creates 10 of 10 declared workspaces, and ${why}: can this token see organization acme?`,
  ];
  expect(await warnings(0)).toEqual(warning('the list of workspaces is empty'));
  expect(await warnings(5)).toEqual([]);
  expect(await warnings(undefined)).toEqual([]);
  expect(await warnings(5, false)).toEqual(
    warning('this token may not read the settings of the organization'),
  );
});
