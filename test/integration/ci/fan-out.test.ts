import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Emulator } from '../../../src/emulator/index.ts';
import { folderWith, serviceWith } from '../../support/attune.ts';
import { gitHubStage } from './github.ts';
import { type GitLabJob, readPipeline } from './gitlab.ts';
import { recipes, type Stage, stageWith } from './stage.ts';

const nightly = { event: 'schedule', sha: 'main' } as const;
const tokens = { 'acme-apac': 'apac-secret', 'acme-emea': 'emea-secret' } as const;

/** A service on which `network` of acme-apac is as declared, and that of acme-emea is not. Each token sees one organization. */
function twoOrganizations(): Promise<Emulator> {
  const callers = Object.entries(tokens).map(([organization, token]) => [
    token,
    { role: 'owner', organization },
  ]);
  return serviceWith({
    seed: {
      organizations: {
        'acme-apac': { workspaces: { network: { 'auto-apply': true } } },
        'acme-emea': { workspaces: { network: { 'auto-apply': false } } },
      },
      tokens: Object.fromEntries(callers),
    },
  });
}

/** Commits root files of organizations in `organizations`. */
async function declare(stage: Stage, organizations: readonly string[], address: string): Promise<void> {
  for (const organization of organizations) {
    const folder = join(stage.folder, 'organizations', organization.replace('acme-', ''));
    await mkdir(folder, { recursive: true });
    const text = `attune: 1\norganization: ${organization}\nservice: {address: "${address}"}\nworkspaces: {network: {auto-apply: true}}\n`;
    await writeFile(join(folder, 'attune.yaml'), text);
  }
  await stage.shell('git add organizations', {});
}

describe('attune-drift-matrix.yml', () => {
  test('attune-drift-matrix.yml compares each organization with the token of its environment, and fails with one report over all', async () => {
    const stage = await gitHubStage();
    const { url } = await twoOrganizations();
    // The environment of acme-amer does not exist, so its job gets the token of the repository.
    await declare(stage, [...Object.keys(tokens), 'acme-amer'], url);
    const environments = Object.fromEntries(
      Object.entries(tokens).map(([name, token]) => [name, { ATTUNE_READ_TOKEN: token }]),
    );
    const end = await stage.start('attune-drift-matrix.yml', { ...nightly, environments });

    expect(end.results).toEqual({ roots: 'success', drift: 'failure', report: 'failure' });
    const errors = end.log.split('\n').filter((line) => line.startsWith('::error::'));
    expect(errors).toEqual([
      '::error::organization acme-emea has drift: see the report',
      '::error::at least one organization has drift or could not be read',
    ]);
    const page = await readFile(join(stage.artifact(end.run, 'attune-report'), 'all.html'), 'utf8');
    for (const shown of ['acme-apac', 'acme-emea', 'results/drift-organizations-amer.json'])
      expect(page).toContain(shown);
    expect(end.summary).toContain('acme-apac');
    const commands = await stage.commands();
    expect(commands.filter((command) => !command.startsWith('drift '))).toEqual([
      'roots organizations --format github-matrix',
      'show --report all.html --report all.md -- results/drift-organizations-amer.json results/drift-organizations-apac.json results/drift-organizations-emea.json',
    ]);
    const everything = [end.log, end.summary, page, ...commands].join('\n');
    for (const token of Object.values(tokens)) expect(everything).not.toContain(token);
  });

  test('attune-drift-matrix.yml succeeds without drift, and skips its jobs if there is no organization', async () => {
    const stage = await gitHubStage();
    const { url } = await twoOrganizations();
    await mkdir(join(stage.folder, 'organizations'));
    await writeFile(join(stage.folder, 'organizations', 'README.md'), 'None yet.\n');
    await declare(stage, [], url);
    const none = await stage.start('attune-drift-matrix.yml', nightly);
    expect([none.ok, none.results]).toEqual([
      true,
      { roots: 'success', drift: 'skipped', report: 'skipped' },
    ]);

    await declare(stage, ['acme-apac'], url);
    const environments = { 'acme-apac': { ATTUNE_READ_TOKEN: tokens['acme-apac'] } };
    const one = await stage.start('attune-drift-matrix.yml', { ...nightly, environments });
    expect([one.log, one.results]).toEqual([
      expect.stringContaining('acme-apac'),
      { roots: 'success', drift: 'success', report: 'success' },
    ]);
  });
});

describe('drift-shards.gitlab-ci.yml', () => {
  test('drift-shards.gitlab-ci.yml checks each organization in one parallel job, fails for drift, and writes one report of all', async () => {
    const stage = await stageWith();
    const { url } = await twoOrganizations();
    await declare(stage, Object.keys(tokens), url);
    const { default: common, jobs } = await readPipeline('drift-shards.gitlab-ci.yml');
    const { 'drift-shards': shards, 'drift-report': report } = jobs;
    if (shards?.parallel === undefined || report === undefined) throw new Error('a job is missing');
    const kept = await folderWith({});
    const lines = ({ script }: typeof report) => [...common.before_script, ...script].join('\n');
    const env = {
      ATTUNE_READ_TOKEN: 'unknown',
      ATTUNE_TOKEN_ACME_APAC: tokens['acme-apac'],
      ATTUNE_TOKEN_ACME_EMEA: tokens['acme-emea'],
      CI_NODE_TOTAL: String(shards.parallel),
    };
    const codes: unknown[] = [];
    for (let index = 1; index <= shards.parallel; index++) {
      await stage.shell('git clean -qfdx', {});
      const end = await stage.shell(lines(shards), { ...env, CI_NODE_INDEX: String(index) });
      codes.push(end.code);
      await stage.shell(`cp ${shards.artifacts?.paths?.join(' ')} '${kept}'`, {});
    }
    expect(codes.sort()).toEqual([0, 0, 0, 2]);

    await stage.shell('git clean -qfdx', {});
    await cp(kept, stage.folder, { recursive: true });
    const { code, stdout, stderr } = await stage.shell(lines(report), {});
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('All 2 organizations: 0 missing, 1 changed');
    expect(await readFile(join(stage.folder, 'all.html'), 'utf8')).toContain('acme-apac');
  });
});

describe('drift-matrix.gitlab-ci.yml', () => {
  test('drift-matrix.gitlab-ci.yml makes a child pipeline with one job for each organization, and one report of all', async () => {
    const stage = await stageWith();
    const { url } = await twoOrganizations();
    await declare(stage, Object.keys(tokens), url);
    await mkdir(join(stage.folder, 'ci'));
    const child = 'drift-matrix-child.gitlab-ci.yml';
    await cp(join(recipes, 'gitlab', child), join(stage.folder, 'ci', child));
    await stage.shell('git add ci', {});
    const { default: common, jobs } = await readPipeline('drift-matrix.gitlab-ci.yml');
    const lines = (job: GitLabJob | undefined) =>
      [...common.before_script, ...(job?.script ?? [])].join('\n');
    expect((await stage.shell(lines(jobs['drift-roots']), {})).code).toBe(0);

    const pipeline = parse(await readFile(join(stage.folder, 'drift-matrix.yml'), 'utf8'));
    const { matrix } = pipeline['.organizations'].parallel;
    expect(matrix).toEqual([
      { NAME: 'organizations-apac', ROOT: 'organizations/apac/attune.yaml' },
      { NAME: 'organizations-emea', ROOT: 'organizations/emea/attune.yaml' },
    ]);
    const env = {
      ATTUNE_READ_TOKEN: 'unknown',
      ATTUNE_TOKEN_ACME_APAC: tokens['acme-apac'],
      ATTUNE_TOKEN_ACME_EMEA: tokens['acme-emea'],
    };
    const codes: unknown[] = [];
    for (const variables of matrix) {
      const end = await stage.shell(lines(pipeline.drift), { ...env, ...variables });
      codes.push(end.code);
    }
    expect(codes).toEqual([0, 2]);
    const { code, stdout, stderr } = await stage.shell(lines(pipeline['drift-report']), {});
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('All 2 organizations: 0 missing, 1 changed');
  });
});
