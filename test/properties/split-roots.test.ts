import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { dialects } from '../../src/model/dialect.ts';
import { folderWith } from '../support/attune.ts';
import { cases, isSoak } from '../support/cases.ts';
import { forgiven } from '../undo/forgiven.ts';
import { type Generated, organizations } from '../undo/generated.ts';
import { commandsOn, type LiveState, liveState } from '../undo/live-state.ts';
import { maxSkipsPerRun } from './pairs.ts';

type Values = Record<string, unknown>;

/** The ids of the live projects by alias: the second root file does not manage them. */
const projects: Values = { one: 'prj-one', two: 'prj-two', three: 'prj-three' };

interface Split {
  /** Whether the second root file has a workspace or a grant, by its place. */
  readonly isSecond: readonly boolean[];
  readonly isReversed: boolean;
}

const splits: fc.Arbitrary<Split> = fc.record({
  isSecond: fc.array(fc.boolean(), { minLength: 16, maxLength: 16 }),
  isReversed: fc.boolean(),
});

// The soak tier runs both dialects.
test.each(isSoak ? dialects : (['terraform'] as const))(
  'two root files have the effect of one, and their undo restores it in the %s dialect',
  async (dialect) => {
    const property = async (generated: Generated, { isSecond, isReversed }: Split) => {
      const { seed } = generated;
      const folder = await folderWith({});
      for (const [name, content] of Object.entries(rootFiles(generated, isSecond)))
        await writeFile(join(folder, name), JSON.stringify(content));
      const start = () => startEmulator({ seed: seed as never, dialect, edition: 'self-hosted' });
      const [alone, together] = [await start(), await start()];
      try {
        const go = (service: Emulator, ...argv: string[]) => commandsOn(service, folder)(...argv);
        const stateOf = async ({ url }: Emulator) => withSchedules(await liveState({ url, dialect }));
        const before = await stateOf(together);
        const one = await go(alone, 'apply', 'one.yaml', '--yes', '--no-journal');
        // The service refuses some changes, such as the deletion of a locked workspace.
        if (one.code !== 0) fc.pre(false);
        const roots = isReversed ? ['b.yaml', 'a.yaml'] : ['a.yaml', 'b.yaml'];
        const two = await go(together, 'apply', ...roots, '--yes', '--journal', 'run.jsonl');
        const outputs = one.stdout + two.stdout + two.stderr;
        expect(two.code, outputs).toBe(0);
        expect(await stateOf(together), outputs).toEqual(await stateOf(alone));
        const next = await go(together, 'plan', ...roots, '--detailed-exitcode');
        expect(next.code, next.stdout).toBe(
          (await go(alone, 'plan', 'one.yaml', '--detailed-exitcode')).code,
        );
        const back = await go(together, 'undo', 'run.jsonl', ...roots, '--yes', '--no-journal');
        expect(forgiven(await stateOf(together), back.stderr), outputs + back.stdout).toEqual(
          forgiven(before, back.stderr),
        );
      } finally {
        await alone.stop();
        await together.stop();
      }
    };
    const options = { ...cases<[Generated, Split]>({ fast: 1, soak: 25 }), maxSkipsPerRun };
    await fc.assert(fc.asyncProperty(organizations(dialect), splits, property), options);
  },
);

/**
 * The generated configuration as one root file, and as two. A consumer that does not exist yet is left out of the lists of
 * the other one, and all that refers to projects which are created is in the first.
 */
function rootFiles({ seed, configuration }: Generated, isSecond: readonly boolean[]): Record<string, Values> {
  const live = seed.workspaces as Record<string, Values>;
  const isThere = (alias: unknown) => alias === undefined || String(alias) in projects;
  const workspaces = configuration.workspaces as Record<string, Values>;
  const second = new Set(
    Object.entries(workspaces).flatMap(([name, values], index) =>
      isSecond[index] && isThere(values.project) ? name : [],
    ),
  );
  const isKnown = (name: string) => (item: unknown) =>
    typeof item !== 'string' ||
    item in live ||
    !(item in workspaces) ||
    second.has(item) === second.has(name);
  for (const [name, values] of Object.entries(workspaces)) {
    const { 'remote-state-consumers': list } = values as { 'remote-state-consumers'?: unknown[] | Values };
    if (Array.isArray(list)) values['remote-state-consumers'] = list.filter(isKnown(name));
    else
      for (const key of ['add', 'exactly'])
        if (list?.[key]) list[key] = (list[key] as unknown[]).filter(isKnown(name));
  }
  const grants = Object.entries(configuration['team-access'] as Record<string, Values>).flatMap(
    ([project, teams]) => Object.entries(teams).map(([team, access]) => ({ project, team, access })),
  );
  const part = (isOther: boolean): Values => {
    const access: Record<string, Values> = {};
    for (const [index, { project, team, access: level }] of grants.entries()) {
      const inSecond = isSecond[index + Object.keys(workspaces).length] === true && isThere(project);
      if (inSecond === isOther) access[project] = { ...access[project], [team]: level };
    }
    return {
      ...configuration,
      workspaces: Object.fromEntries(
        Object.entries(workspaces).filter(([name]) => second.has(name) === isOther),
      ),
      'team-access': access,
    };
  };
  return { 'one.yaml': configuration, 'a.yaml': part(false), 'b.yaml': { ...part(true), projects } };
}

/** Destroy schedules in effect: one root file lets a workspace inherit what the other one makes its own. */
function withSchedules(state: LiveState): LiveState {
  return Object.fromEntries(
    Object.entries(state).map(([address, values]) => {
      const { 'inherited-auto-destroy-activity-duration': inherited, ...others } = values;
      return [address, { ...others, ...(inherited && { 'auto-destroy-activity-duration': inherited }) }];
    }),
  );
}
