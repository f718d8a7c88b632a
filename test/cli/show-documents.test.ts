import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Seed } from '../../src/emulator/seed/seed.ts';
import { canonicalDigest } from '../../src/model/value.ts';
import { reportFormats } from '../../src/report/report.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { documentErrors } from '../support/document-errors.ts';

const root = (organization: string, workspaces = '{app: {auto-apply: true}, gone: {state: absent}}') =>
  `attune: 1\norganization: ${organization}\nlimits: {delete-percent: 100}\nworkspaces: ${workspaces}\n`;
const names = ['acme', 'acme-emea', 'acme-apac'];
const seed = (): Seed => ({
  organizations: Object.fromEntries(names.map((name) => [name, { workspaces: { app: {}, gone: {} } }])),
});

/** A plan, a drift report, an apply result, and a run that failed; each of a different organization. */
async function stage() {
  const service = await serviceWith({ seed: seed() });
  const cwd = await folderWith({
    ...Object.fromEntries(names.map((name) => [`${name}.yaml`, root(name)])),
    'broken.yaml': root('acme-broken', '{app: {auto-aply: true}}'),
  });
  const go = (...argv: string[]) => attune(argv, { cwd, env: { ATTUNE_TOKEN: 'test-token' } });
  const at = ['--address', service.url];
  const save = async (name: string, ...argv: string[]) => {
    await writeFile(join(cwd, name), (await go(...argv, '--format', 'json')).stdout);
  };
  await go('plan', 'acme.yaml', ...at, '--out', 'plan.json');
  await save('drift.json', 'drift', 'acme-emea.yaml', ...at);
  await save('apply.json', 'apply', 'acme-apac.yaml', '--yes', ...at);
  await save('failed.json', 'drift', 'broken.yaml', ...at);
  service.clearRequests();
  const text = (name: string) => readFile(join(cwd, name), 'utf8');
  return { cwd, go, text, url: service.url, requests: () => service.requests };
}

describe('show with several files', () => {
  test('show prints documents of all kinds as one report with totals, sorted by organization', async () => {
    const { go, url, requests } = await stage();
    const shown = await go('show', 'failed.json', 'plan.json', 'drift.json', 'apply.json');
    expect(shown).toEqual({
      code: 1,
      stdout: `Needs attention:
  ! failed: failed.json                          unknown key "auto-aply" in a workspace  broken.yaml:4
  ! delete: workspace.gone                       acme  safe delete, 0 managed resources  acme.yaml:4
  ! delete: workspace.gone                       acme-apac  safe delete, 0 managed resources  acme-apac.yaml:4
  ! auto-apply on: workspace.app                 acme  auto-apply: false -> true  acme.yaml:4
  ! auto-apply on: workspace.app                 acme-apac  auto-apply: false -> true  acme-apac.yaml:4

Organizations:
  failed           failed.json  Planning failed: 1 error, 0 warnings, 0 notes.
  needs attention  acme         Plan: 0 to create, 1 to update, 1 to delete, 0 unchanged. 2 calls. 2 need attention.
  needs attention  acme-apac    Applied: 0 created, 1 updated, 1 deleted. 2 calls.
  drift            acme-emea    Drift: 0 missing, 1 changed, 1 undeclared (workspaces not checked: no scope), 0 unchanged.

acme  ${url}

  ~ workspace.app                                acme.yaml:4
      auto-apply: false -> true
  - workspace.gone                               safe delete  acme.yaml:4

Plan: 0 to create, 1 to update, 1 to delete, 0 unchanged. 2 calls. 2 need attention.

acme-apac  ${url}

Updated:
  ~ workspace.app

Deleted:
  - workspace.gone                               safe delete

Applied: 0 created, 1 updated, 1 deleted. 2 calls.

acme-emea  ${url}

Changed:
  ~ workspace.app                                acme-emea.yaml:4
      auto-apply: live false, declared true

Undeclared (apply deletes them):
  - workspace.gone                               acme-emea.yaml:4

Drift: 0 missing, 1 changed, 1 undeclared (workspaces not checked: no scope), 0 unchanged.

Plan, 1 organization: 0 to create, 1 to update, 1 to delete, 0 unchanged. 2 calls.
Drift, 1 organization: 0 missing, 1 changed, 1 undeclared (workspaces not checked: no scope), 0 unchanged.
Applied, 1 organization: 0 created, 1 updated, 1 deleted. 2 calls.
Failed, 1 of 4 documents: failed.json.
`,
      stderr: expect.stringContaining('broken.yaml:4:20: error[unknown-key]'),
    });
    expect(requests()).toEqual([]);
  });

  test('show prints the same bytes in any order of the files, in any format', async () => {
    const { go } = await stage();
    for (const format of reportFormats) {
      const one = await go(
        'show',
        'plan.json',
        'drift.json',
        'apply.json',
        'failed.json',
        '--format',
        format,
      );
      const other = await go(
        'show',
        'failed.json',
        'apply.json',
        'plan.json',
        'drift.json',
        '--format',
        format,
      );
      // A page shows when it was made.
      const timeless = (text: string) => text.replace(/<time .*?<\/time>/, '');
      expect(timeless(other.stdout)).toBe(timeless(one.stdout));
      expect(one.stdout, format).toContain('acme-emea');
    }
  });

  test('show --format json contains each document as it was printed, and can be shown again', async () => {
    const { cwd, go, text } = await stage();
    const { stdout } = await go('show', 'drift.json', 'apply.json', 'failed.json', '--format', 'json');
    const { format, plans } = JSON.parse(stdout);
    expect(documentErrors(JSON.parse(stdout))).toEqual([]);
    expect(format).toBe('attune.plans/1');
    expect(plans).toEqual([
      JSON.parse(await text('apply.json')),
      JSON.parse(await text('drift.json')),
      { ...JSON.parse(await text('failed.json')), file: 'failed.json' },
    ]);
    await writeFile(join(cwd, 'all.json'), stdout);
    const again = await go('show', 'all.json', 'plan.json', '--format', 'json');
    expect(JSON.parse(again.stdout).plans.slice(1)).toEqual(plans);
  });

  test('show prints reports of one kind as that kind, with one sum', async () => {
    const { cwd, go } = await stage();
    const { stdout } = await go('show', 'drift.json', '--format', 'json');
    await writeFile(join(cwd, 'other.json'), stdout);
    const shown = await go('show', 'drift.json', 'other.json');
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('\nAll of acme-emea: 0 missing, 2 changed, 2 undeclared');
    expect((await go('show', 'drift.json', 'other.json', '--format', 'markdown')).stdout).toMatch(
      /^<!-- attune:drift:acme-emea,acme-emea -->\n## Attune: drift/,
    );
  });

  test('show reports every file that is not such a document by name, and prints no report', async () => {
    const { cwd, go, text } = await stage();
    await writeFile(join(cwd, 'cut.json'), (await text('drift.json')).slice(0, 100));
    await writeFile(join(cwd, 'empty.json'), '');
    await writeFile(join(cwd, 'edited.json'), (await text('drift.json')).replace('acme-emea', 'acme-other'));
    await writeFile(join(cwd, 'foreign.json'), '{"name": "infrastructure"}');
    await writeFile(join(cwd, 'later.json'), '{"format": "attune.drift/9"}');
    const bad = ['cut', 'empty', 'edited', 'foreign', 'later', 'missing'].map((name) => `${name}.json`);
    const { code, stdout, stderr } = await go('show', 'drift.json', ...bad, '--report', 'all.html');
    expect([code, stdout]).toEqual([1, '']);
    expect(
      stderr,
    ).toBe(`error[bad-plan-file]: cut.json is not a complete document: it ends early or is not JSON
  hint: run the command that wrote it again
error[bad-plan-file]: empty.json is not a complete document: it ends early or is not JSON
  hint: run the command that wrote it again
error[bad-plan-file]: edited.json was modified after it was saved: its digest does not match
  hint: run the command that wrote it again
error[bad-plan-file]: foreign.json is not a plan, drift or apply document of this version: it has no format
  hint: use a file that plan, drift or apply wrote with --out or --format json
error[bad-plan-file]: later.json is not a plan, drift or apply document of this version: its format is attune.drift/9
  hint: use a file that plan, drift or apply wrote with --out or --format json
error[bad-plan-file]: missing.json does not exist
  hint: use a file that plan, drift or apply wrote with --out or --format json
`);
  });

  test('show of an apply with failed changes exits with 1', async () => {
    const { cwd, go, text } = await stage();
    expect((await go('show', 'apply.json')).code).toBe(0);
    const service = await serviceWith({ seed: seed() });
    service.setFaults([{ kind: 'status', method: 'PATCH', status: 422, detail: 'not now' }]);
    const { stdout } = await go('apply', 'acme.yaml', '--yes', '--address', service.url, '--format', 'json');
    await writeFile(join(cwd, 'incomplete.json'), stdout);
    const shown = await go('show', 'incomplete.json', 'apply.json');
    expect([shown.code, shown.stdout]).toEqual([1, expect.stringContaining('1 failed')]);
    expect(await text('incomplete.json')).toContain('not now');
  });

  test('show prints nothing for the documents of shards without root files', async () => {
    const { cwd, go } = await stage();
    await writeFile(join(cwd, 'none.json'), '{"format": "attune.plans/1", "plans": []}');
    const alone = await go('show', 'drift.json');
    expect(await go('show', 'none.json', 'drift.json')).toEqual(alone);
    expect(await go('show', 'none.json')).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

test('show renders a permission that this version does not know', async () => {
  const service = await serviceWith({
    seed: { projects: { P: 'prj-1' }, teams: { sre: 'team-1' }, 'team-access': { P: { sre: 'read' } } },
  });
  const cwd = await folderWith({
    'attune.yaml':
      'attune: 1\norganization: acme\nteam-access: {prj-1: {team-1: {access: custom, workspace-access: {runs: apply}}}}\n',
  });
  const env = { ATTUNE_TOKEN: 'test-token', ATTUNE_ADDRESS: service.url };
  expect((await attune(['plan', '--out', 'plan.json'], { cwd, env })).code).toBe(0);
  const { digest: _digest, ...plan } = JSON.parse(await readFile(join(cwd, 'plan.json'), 'utf8'));
  const newer = JSON.parse(
    JSON.stringify(plan).replaceAll('workspace-access.runs', 'workspace-access.later'),
  );
  const document = { ...newer, digest: canonicalDigest(newer) };
  await writeFile(join(cwd, 'newer.json'), JSON.stringify(document));
  for (const format of reportFormats) {
    const { code, stdout, stderr } = await attune(['show', 'newer.json', '--format', format], { cwd });
    expect([code, stderr.includes('internal'), stdout === '']).toEqual([0, false, false]);
  }
});
