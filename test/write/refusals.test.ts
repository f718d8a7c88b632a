import { readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/emulator/index.ts';
import { attune, folderWith, worldWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { rowsIn } from '../support/rows.ts';

const seed = {
  projects: { 'Payments Platform': 'prj-payments' },
  teams: { sre: 'team-sre' },
  workspaces: { billing: { id: 'ws-billing', project: 'Payments Platform' } },
  'team-access': { 'Payments Platform': { sre: 'admin' } },
};
const root = 'attune: 1\norganization: acme\n';

async function everythingIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).sort();
}

describe('an import with contradicting flags fails before it reads anything', () => {
  test.each(rowsIn<[string, Record<string, string>, readonly string[], string]>`
- [nothing says which organization, {}, [],
   "error[no-organization]: import requires an organization: there is no --organization and no attune.yaml\n  hint: add --organization and --address, or name a root file\n"]
- [the root file is there, {attune.yaml: "attune: 1\norganization: acme\n"}, [],
   "error[file-exists]: attune.yaml exists already; no files were written\n  hint: add --update to keep the files and add what is missing, --force to overwrite them, or --out to choose another folder\n"]
- [many files are there,
   {live/workspaces/a.yaml: "workspaces: {}\n", live/workspaces/b.yaml: "workspaces: {}\n", live/workspaces/c.yaml: "workspaces: {}\n", live/workspaces/d.yaml: "workspaces: {}\n", live/workspaces/e.yaml: "workspaces: {}\n", live/workspaces/f.yaml: "workspaces: {}\n"},
   [--organization, acme, --out, live],
   "error[file-exists]: live/workspaces/a.yaml and 5 more files exist already; no files were written\n  hint: add --update to keep the files and add what is missing, --force to overwrite them, or --out to choose another folder\n"]
- [the one file is there, {one.yaml: "attune: 1\norganization: acme\n"}, [--organization, acme, --out, one.yaml],
   "error[file-exists]: one.yaml exists already; no files were written\n  hint: add --update to keep the files and add what is missing, --force to overwrite them, or --out to choose another folder\n"]
- [--force and --update, {}, [--organization, acme, --force, --update], "error[usage]: --force cannot be used with --update\n  hint: use --update to keep existing declarations, or --force to overwrite the files\n"]
- [an update of the files of another organization, {attune.yaml: "attune: 1\norganization: acme\n"}, [--organization, other, --update],
   "error[usage]: attune.yaml is for organization acme, not other\n  hint: choose another folder with --out, or remove --organization\n"]
- [an update of files with mistakes, {attune.yaml: "attune: 1\norganization: acme\nworkspace: {}\n"}, [--update],
   "attune.yaml:3:1: error[unknown-key]: unknown key \"workspace\" in a root file\n  3 | workspace: {}\n    | ^\n  hint: did you mean \"workspaces\"?\n"]
- [a report, {}, [--organization, acme, --report, report.md], "error: unknown option '--report'\n(add --help for the flags)\n"]
`)(
    'an import with contradicting flags fails before any request: %s',
    async (_what, files, flags, reported) => {
      const world = await worldWith(files, { seed });
      const before = await everythingIn(world.folder);
      const { code, stdout, stderr } = await world.attune('import', ...flags);
      expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: reported });
      expect([world.requests(), await everythingIn(world.folder)]).toEqual([[], before]);
    },
  );

  test('an import without an address fails before any request', async () => {
    const { code, stderr } = await attune(['import', '--organization', 'acme'], {
      cwd: await folderWith({}),
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('error[no-address]')]);
  });
});

describe('an import that finds nothing to write writes nothing', () => {
  test.each(rowsIn<[string, readonly string[], string, Fault[]?]>`
- [a project that is not there, [--project, Payments], "error[unknown-name]: --project Payments: unknown project in organization acme\n"]
- ['a project by name, on a service that does not list them', [--project, Payments Platform],
   "error[no-look-up]: no projects can be looked up by name: GET /organizations/acme/projects?page[size]=100&include=effective_tag_bindings answered 404: not found, or this token may not see it\n  hint: use the id of the project (prj-...) with --project\n",
   [{kind: status, status: 404, path: /organizations/acme/projects*}]]
- [a name that none has, [--name, biling*], "error[nothing-to-import]: nothing in organization acme matches the filters; no files were written\n  hint: check --project, --tag, --name and --only, and what the token may read\n"]
- [a name that none can have, [--name, app-?], "error[nothing-to-import]: nothing in organization acme matches the filters; no files were written\n"]
- [a tag that none can have, [--tag, prod-*], "error[nothing-to-import]: nothing in organization acme matches the filters; no files were written\n"]
- [an address that nothing has, [--only, workspac.billing], "error[nothing-matched]: --only workspac.billing matches nothing\n"]
- [a grant that is not there, [--only, team-access.*/nobody], "error[nothing-matched]: --only team-access.*/nobody matches nothing\n"]
- [one of two addresses, [--only, workspace.billing, --only, workspace.biling], "error[nothing-matched]: --only workspace.biling matches nothing\n"]
- [a selector, [--only, tag:none], "error[nothing-matched]: --only tag:none matches nothing\n"]
`)(
    'an import that finds nothing to write writes nothing: %s',
    async (_what, flags, reported, faults = []) => {
      const world = await worldWith({}, { seed });
      world.service.setFaults(faults);
      const { code, stdout, stderr } = await world.attune('import', '--organization', 'acme', ...flags);
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(reported)]);
      expect(await everythingIn(world.folder)).toEqual([]);
    },
  );
});

describe('a failed read writes no file', () => {
  test.each(rowsIn<[string, Fault, string]>`
- [of the workspaces, {kind: status, status: 404, path: /organizations/acme/workspaces*}, GET /organizations/acme/workspaces]
- [of a consumer list, {kind: status, status: 404, path: /workspaces/*/relationships/remote-state-consumers*}, GET /workspaces/ws-billing/relationships/remote-state-consumers]
- [of team access, {kind: status, status: 404, path: /team-projects*}, GET /team-projects]
- [of a look-up that fails otherwise than by 404, {kind: status, status: 500, path: /organizations/acme/projects*}, GET /organizations/acme/projects]
- [of half a body, {kind: half-body, status: 404, path: /organizations/acme/workspaces*}, GET /organizations/acme/workspaces]
`)('a failed read %s writes no file', async (_what, one, reported) => {
    const service = { seed, faults: [one] };
    const world = await worldWith(root, service, { clock: jumpingClock() });
    const { code, stderr } = await world.attune('import', '--force', '--timeout', '1');
    expect([code, stderr]).toEqual([1, expect.stringContaining(reported)]);
    expect(await everythingIn(world.folder)).toEqual(['attune.yaml']);
    expect(await readFile(join(world.folder, 'attune.yaml'), 'utf8')).toBe(root);
  });
});

const importOne = ['import', '--organization', 'acme', '--out', 'one.yaml'];
const closed = (kind: string): Fault => ({
  kind: 'status',
  status: 404,
  path: `/organizations/acme/${kind}*`,
});

test('import writes aliases of ids if the service does not offer a look-up', async () => {
  const world = await worldWith({}, { seed, faults: [closed('projects'), closed('teams')] });
  const { code, stderr } = await world.attune(...importOne);
  expect(code, stderr).toBe(0);
  expect(await readFile(join(world.folder, 'one.yaml'), 'utf8')).toContain(
    'projects:\n  project-payments: prj-payments\n\nteams:\n  team-sre: team-sre\n',
  );
});

test('import writes no token that the service echoes into a file', async () => {
  const workspaces = { billing: { description: 'made with test-token' } };
  const world = await worldWith({}, { seed: { workspaces } });
  const { code } = await world.attune(...importOne);
  const text = await readFile(join(world.folder, 'one.yaml'), 'utf8');
  expect([code, text]).toEqual([0, expect.stringContaining('description: made with ***\n')]);
});

test('import does not include another file beside the files of the projects', async () => {
  const files = { 'attune.yaml': root, 'workspaces/mine.yaml': 'workspaces: {other: {}}\n' };
  const world = await worldWith(files, { seed });
  expect((await world.attune('import', '--force')).code).toBe(0);
  expect(await readFile(join(world.folder, 'attune.yaml'), 'utf8')).toContain(
    'include: [workspaces/payments-platform.yaml]\n',
  );
  expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);
});

test('import replaces a link with the name of its file and does not follow it', async () => {
  const world = await worldWith({ 'elsewhere/mine.yaml': root }, { seed });
  await symlink(join(world.folder, 'elsewhere', 'mine.yaml'), join(world.folder, 'attune.yaml'));
  const { code } = await world.attune('import', '--organization', 'acme', '--force');
  expect(code).toBe(0);
  expect(await readFile(join(world.folder, 'elsewhere', 'mine.yaml'), 'utf8')).toBe(root);
});

test.each([
  ['linked', []],
  ['linked/deeper', []],
  ['.', ['workspaces']],
])('import does not follow a link out of the working folder: --out %s', async (out, links) => {
  const elsewhere = await folderWith({});
  const world = await worldWith({}, { seed });
  for (const name of ['linked', ...links]) await symlink(elsewhere, join(world.folder, name));
  const { code, stderr } = await world.attune('import', '--organization', 'acme', '--out', out);
  const message =
    /^error\[file-not-written\]: the folder \S+ cannot be created: a link leads to \S+, outside the working folder\n/;
  expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  expect(await readdir(elsewhere)).toEqual([]);
  expect(await readdir(world.folder)).not.toContain('attune.yaml');
});
