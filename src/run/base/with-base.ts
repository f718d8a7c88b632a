import type { LiveSource } from '../../live/live-source.ts';
import type { Base, Configuration } from '../../model/configuration.ts';
import {
  AttuneError,
  type Diagnostic,
  DiagnosticsError,
  usageError,
  warning,
} from '../../model/diagnostic.ts';
import { readsBindings } from '../../resolve/live-query-of.ts';
import { withFoundNames } from '../../resolve/look-up-names.ts';
import type { PlanSelection } from '../../resolve/plan-request.ts';
import type { RunContext } from '../context.ts';
import { rootName } from '../report-entry.ts';
import { changedRules } from './changed-rules.ts';
import { type Bases, isOfOne, loadBases } from './load-base.ts';

export async function withBases(
  configurations: readonly Configuration[],
  context: RunContext,
): Promise<readonly Configuration[]> {
  const { base: ref, onlyChanged } = context.options;
  if (ref === undefined) {
    if (!onlyChanged) return configurations;
    throw usageError(
      `--only-changed requires --base`,
      'name the revision or the folder to compare with, such as origin/main',
    );
  }
  const { commit, found, addresses } = await loadBases(configurations, ref, context).catch(
    (error: unknown): Bases => {
      if (!(error instanceof AttuneError)) throw error;
      return { found: configurations.map(() => error), addresses: [] };
    },
  );
  const base: Base = { ref, commit, addresses, onlyChanged: onlyChanged || undefined };
  return configurations.map((configuration, index) => {
    const loaded = found[index] as Bases['found'][number];
    if (loaded instanceof AttuneError) {
      const diagnostics = [...configuration.diagnostics, ...unloadable(base, loaded)];
      return { ...configuration, base, diagnostics };
    }
    const name = configurations.length > 1 ? rootName(configuration, context) : undefined;
    const mates = configurations.filter((one) => isOfOne(one, configuration));
    const diagnostics = [
      ...configuration.diagnostics,
      ...changedRules(configuration, loaded, { root: name, mates }),
    ];
    return { ...configuration, base: { ...base, loaded, declared: loaded }, diagnostics };
  });
}

/**
 * The configuration with ids instead of names in its base, as far as the run has read them for the configuration itself: a
 * base needs no request. A name that stays is equal to the same name only.
 */
export async function resolveBase(
  configuration: Configuration,
  source: LiveSource,
  selection: PlanSelection,
): Promise<Configuration> {
  const { base, known, desired } = configuration;
  if (base?.loaded === undefined) return configuration;
  const bindings = readsBindings(configuration, selection);
  const found = await Promise.all(
    [...(known ?? new Map()).keys()].map(
      async (kind) => [kind, await source.names(desired.organization, kind, { bindings })] as const,
    ),
  );
  try {
    return { ...configuration, base: { ...base, declared: withFoundNames(base.loaded, new Map(found), []) } };
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    const { declared: _unresolved, ...rest } = base;
    const [first] = error.diagnostics.filter(({ severity }) => severity === 'error');
    return {
      ...configuration,
      base: rest,
      diagnostics: [
        ...configuration.diagnostics,
        ...unloadable(base, { message: first?.message ?? 'it has errors' }),
      ],
    };
  }
}

/**
 * Why a base is not compared, as a warning. For `--only-changed` it is an error: without its base, everything would be
 * applied.
 */
function unloadable(
  { ref, onlyChanged }: Pick<Base, 'ref' | 'onlyChanged'>,
  { message: why, hint }: Pick<AttuneError, 'message'> & { readonly hint?: string | undefined },
): Diagnostic[] {
  const code = 'base-unreadable';
  const message = `cannot load the base ${ref}: ${why}`;
  if (onlyChanged)
    throw new AttuneError(message, {
      code,
      hint: `${hint === undefined ? 'correct the base' : hint}, or plan without --only-changed`,
    });
  return [warning(code, `${message}; the cause of each change is unknown`, { hint })];
}
