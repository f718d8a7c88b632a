import { AttuneError } from '../model/attune-error.ts';
import { openConnections } from './connect.ts';
import type { RunContext } from './context.ts';
import { readPlanFile } from './files/input-files.ts';
import { bareConfiguration, hasConfiguration, loadConfigurations } from './load.ts';
import { type Planned, planRoots } from './plan-roots.ts';
import { configurationsOf } from './saved-settings.ts';
import { commandLine } from './shell-words.ts';
import { checkTrusted } from './trusted-plans.ts';

/** Uses plans while their connections are open. */
export type UsePlanned<Result> = (planned: readonly Planned[]) => Promise<Result>;

/**
 * Plans root files, and calls a function with the plans.
 *
 * @throws {RefusedError} if some of the root files have no plan; with the reasons of all.
 */
export async function planForApply<Result>(
  files: readonly string[],
  context: RunContext,
  use: UsePlanned<Result>,
): Promise<Result> {
  const configurations = await loadConfigurations(files, context);
  await using connections = await openConnections(configurations, context);
  return await use(await planRoots(configurations, connections, context, { requireOnly: true }));
}

/** How a saved plan is checked. */
export interface SavedPlanOptions {
  /** Sends the recorded calls if there are no configuration files to plan the saved plan again. */
  readonly trustPlan?: boolean | undefined;
}

/**
 * Plans a saved plan again, and calls a function with the plans if they are the same.
 *
 * @throws {RefusedError} if planning again gives other changes.
 */
export async function planSavedAgain<Result>(
  file: string,
  files: readonly string[],
  context: RunContext,
  { trustPlan }: SavedPlanOptions,
  use: UsePlanned<Result>,
): Promise<Result> {
  const saved = await readPlanFile(file, context.io.cwd);
  if (await hasConfiguration(files, context)) {
    const configurations = configurationsOf(saved, await loadConfigurations(files, context));
    await using connections = await openConnections(configurations, context);
    return await use(await planRoots(configurations, connections, context, { saved }));
  }
  if (!trustPlan) throw noFiles(file);
  const configurations = saved.map(({ organization }) => bareConfiguration(organization, context.io.cwd));
  await using connections = await openConnections(configurations, context);
  return await use(await checkTrusted(saved, configurations, connections, context));
}

function noFiles(plan: string): AttuneError {
  const command = commandLine(['attune', 'apply', 'attune.yaml', '--plan', plan]);
  return new AttuneError(`cannot apply ${plan}: there are no configuration files to plan it again`, {
    code: 'no-files',
    hint: `name the root files (${command}), or add --trust-plan to send the recorded calls without planning again`,
  });
}
