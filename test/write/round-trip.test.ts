import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OrganizationSeed } from '../../src/emulator/index.ts';
import { type Flavour, flavours } from '../properties/live-organization.ts';
import { type Ran, worldWith } from '../support/attune.ts';
import { cases, isSoak } from '../support/cases.ts';
import { hostileOrganization } from './hostile-organization.ts';

interface Stage {
  readonly cwd: string;
  go(...argv: readonly string[]): Promise<Ran>;
}

/** An organization and an empty folder. Nothing that happens on it may write to the service. */
async function onStage(
  flavour: Flavour,
  seed: OrganizationSeed,
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  const world = await worldWith({}, { ...flavour, seed: { organization: 'acme', ...seed } });
  const go = async (...argv: readonly string[]) => {
    const ran = await world.attune(...argv);
    expect(world.writes()).toEqual([]);
    return ran;
  };
  await play({ cwd: world.folder, go });
}

/** What the check before writing finds would be a lie that import had to leave out. */
const nothingLeftOut = expect.not.stringMatching(/the (workspace|grant) is left out/);

async function expectEmptyPlan({ go }: Stage, root: string): Promise<void> {
  const planned = await go('plan', root, '--detailed-exitcode', '--format', 'json');
  const { changes, summary } = JSON.parse(planned.stdout);
  expect([planned.code, changes, summary?.calls], planned.stderr).toEqual([0, [], 0]);
}

async function textsIn(folder: string): Promise<Record<string, string>> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.yaml')).sort();
  const texts = files.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

async function expectInvariant(stage: Stage, flags: readonly string[]): Promise<void> {
  const { go, cwd } = stage;
  const root = flags.includes('--out') ? 'one.yaml' : 'attune.yaml';
  const imported = await go('import', '--organization', 'acme', ...flags);
  expect([imported.code, imported.stderr]).toEqual([0, nothingLeftOut]);
  await expectEmptyPlan(stage, root);
  const before = await textsIn(cwd);
  for (const how of ['--force', '--update']) {
    const again = await go('import', root, how, ...flags);
    expect([again.code, await textsIn(cwd)]).toEqual([0, before]);
  }
}

/** Imports a part, writes comments, and adds the rest. */
async function expectUpdateInvariant(stage: Stage, first: string, flags: readonly string[]): Promise<void> {
  const { go, cwd } = stage;
  const root = flags.includes('--out') ? 'one.yaml' : 'attune.yaml';
  const part = await go('import', '--organization', 'acme', '--only', `workspace.${first}`, ...flags);
  expect([part.code, part.stderr]).toEqual([0, nothingLeftOut]);
  await appendFile(join(cwd, root), '# a last word\n');
  const before = await textsIn(cwd);
  const updated = await go('import', root, '--update', ...flags);
  expect([updated.code, updated.stderr]).toEqual([0, nothingLeftOut]);
  await expectEmptyPlan(stage, root);
  const after = await textsIn(cwd);
  for (const [name, text] of Object.entries(before)) expectKept(text, after[name] ?? '');
  const again = await go('import', root, '--update', ...flags);
  expect([again.code, again.stdout, await textsIn(cwd)]).toEqual([
    0,
    expect.stringContaining('All files are up to date.'),
    after,
  ]);
}

/** Every line that was there is there, in its order. */
function expectKept(before: string, after: string): void {
  const lines = after.split('\n');
  let at = 0;
  for (const line of before.split('\n')) {
    const found = lines.indexOf(line, at);
    expect(found, `the line ${JSON.stringify(line)}`).toBeGreaterThanOrEqual(at);
    at = found + 1;
  }
}

/** How many workspaces an organization has at most: more in the soak tier. */
const most = isSoak ? 12 : 6;

const shown = ({ dialect, edition }: Flavour) => [dialect, edition].filter(Boolean).join(', ');

/** What a hosted service has, the others have, too. The fast tier tries each of them with one of the given flags. */
const tried = flavours.filter(({ edition }) => isSoak || edition !== 'hosted');
const withFlags = <Row>(rows: readonly Row[], flavour: Flavour): readonly Row[] =>
  isSoak ? rows : rows.filter((_, index) => index === tried.indexOf(flavour) % rows.length);

const wholeImports = [
  ['by project', []],
  ['in one file', ['--out', 'one.yaml']],
  ['with all values', ['--full']],
] as const;
const partImports = wholeImports.slice(0, 2);

describe.each(tried.map((flavour) => [shown(flavour), flavour] as const))('%s', (name, flavour) => {
  test.each(withFlags(wholeImports, flavour))(
    `an import of any live state %s leaves nothing to plan, and another import has the same bytes (${name})`,
    (_what, flags) =>
      fc.assert(
        fc.asyncProperty(hostileOrganization(flavour, { min: 0, max: most }), (seed) =>
          onStage(flavour, seed, (stage) => expectInvariant(stage, flags)),
        ),
        { ...cases({ fast: 1, soak: 6 }), endOnFailure: true },
      ),
  );

  test.each(withFlags(partImports, flavour))(
    `an update of a part of any live state %s keeps every line and leaves nothing to plan (${name})`,
    (_what, flags) =>
      fc.assert(
        fc.asyncProperty(hostileOrganization(flavour, { min: 2, max: 8 }), (seed) =>
          onStage(flavour, seed, (stage) =>
            expectUpdateInvariant(stage, Object.keys(seed.workspaces ?? {})[0] ?? '', flags),
          ),
        ),
        { ...cases({ fast: 1, soak: 6 }), endOnFailure: true },
      ),
  );
});

const large = 300;

test
  .runIf(isSoak)
  .each(
    flavours
      .filter(({ edition }) => edition === 'self-hosted')
      .map((flavour) => [shown(flavour), flavour] as const),
  )(`an organization of ${large} workspaces that use everything: %s`, (_name, flavour) => {
  const options = { numRuns: 1, seed: 300 };
  const [seed] = fc.sample(hostileOrganization(flavour, { min: large, max: large }), options);
  return onStage(flavour, seed ?? {}, (stage) => expectInvariant(stage, []));
});
