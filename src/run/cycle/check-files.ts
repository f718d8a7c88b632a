import type { Configuration } from '../../desired/configuration.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { RunContext } from '../context.ts';
import { RefusedError } from '../errors.ts';
import { loadConfigurations } from '../load.ts';

/**
 * Loads the files of one organization again, right before its plan is applied. While files are replaced, some can be read
 * before and some after it: such a mix is not what anybody declared.
 *
 * @param roots The root files of the whole run.
 * @throws {AttuneError} if their content has changed.
 */
export async function checkFiles(
  configurations: readonly Configuration[],
  context: RunContext,
  roots: readonly string[],
): Promise<void> {
  const again = await loadAgain(configurations, context, roots);
  if (digestsOf(again) === digestsOf(configurations)) return;
  throw new AttuneError('cannot apply the plan: its files changed while it was made', {
    code: 'files-changed',
    hint: 'replace all files in one step, for example through a symbolic link to their folder',
  });
}

async function loadAgain(
  configurations: readonly Configuration[],
  context: RunContext,
  roots: readonly string[],
): Promise<readonly Configuration[]> {
  try {
    // A program makes the files of all organizations.
    if (context.options.app !== undefined) {
      const names = new Set(configurations.map(({ desired }) => desired.organization));
      const all = await loadConfigurations(roots, context, { digests: true });
      return all.filter(({ desired }) => names.has(desired.organization));
    }
    // These root files are already those of the shard.
    const { shard: _, ...options } = context.options;
    const own = configurations.map(({ file }) => file);
    return await loadConfigurations(own, { ...context, options }, { digests: true });
  } catch (error) {
    // The next cycle reports files that are invalid.
    if (error instanceof RefusedError) return [];
    throw error;
  }
}

function digestsOf(configurations: readonly Configuration[]): string {
  return configurations.map(({ digest }) => digest).join(' ');
}
