import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

// The other answers of `access`: test/cli/tables/access.txt.

test('the matrix of 50 projects is 50 lists, the team page and the project page', async () => {
  const projects = Object.fromEntries(Array.from({ length: 49 }, (_, index) => [`p${index}`, {}]));
  const world = await worldWith({}, { seed: { projects }, dialect: 'terraform' });
  expect(await world.attune('access', '--organization', 'acme')).toMatchObject({ code: 0 });
  const count = (path: string) =>
    world.requests().filter((request) => request.startsWith(`GET ${path}`)).length;
  const paths = ['/organizations/acme/projects', '/organizations/acme/teams', '/team-projects'];
  expect([...paths.map(count), world.requests().length]).toEqual([1, 1, 50, 52]);
});
