import type { LiveSource } from '../../live/live-source.ts';
import type { Base, Configuration } from '../../model/configuration.ts';
import {
  AttuneError,
  type Diagnostic,
  DiagnosticsError,
  note,
  usageError,
  warning,
} from '../../model/diagnostic.ts';
import { readsBindings } from '../../resolve/live-query-of.ts';
import { withFoundNames } from '../../resolve/look-up-names.ts';
import type { PlanSelection } from '../../resolve/plan-request.ts';
import type { RunContext } from '../context.ts';
import { rootName } from '../report-entry.ts';
import { changedRules, type NamedRoot, removedRules } from './changed-rules.ts';
import { type Bases, isOfOne, loadBases } from './load-base.ts';

export async function withBases(
  configurations: readonly Configuration[],
  context: RunContext,
): Promise<readonly Configuration[]> {
  const { base: ref, onlyChanged } = context.options;
  if (ref === undefined) {
    if (!onlyChanged) return configurations;
    throw usageError(
      `${context.named('only-changed')} requires ${context.named('base')}`,
      'name the revision or the folder to compare with, such as origin/main',
    );
  }
  const { commit, found, removed, addresses } = await loadBases(configurations, ref, context).catch(
    (error: unknown): Bases => {
      if (!(error instanceof AttuneError)) throw error;
      return { found: configurations.map(() => error), removed: [], addresses: [] };
    },
  );
  const names = configurations.map((configuration) => rootName(configuration, context));
  const gone = removed.filter(({ configuration }) => !found.includes(configuration));
  const base: Base = { ref, commit, addresses, onlyChanged: onlyChanged || undefined };
  return configurations.map((configuration, index) => {
    const loaded = found[index] as Bases['found'][number];
    if (loaded instanceof AttuneError) {
      const diagnostics = [...configuration.diagnostics, ...unloadable(base, loaded, context.named)];
      return { ...configuration, base, diagnostics };
    }
    const name = names[index] as string;
    const mates = configurations.filter((one) => isOfOne(one, configuration));
    const diagnostics = [
      ...configuration.diagnostics,
      ...renamedRoot(removed, { loaded, name }),
      ...changedRules(configuration, loaded, configurations.length > 1 ? name : undefined, mates),
      ...(index === 0 ? gone.flatMap((one) => removedRules(one, configurations)) : []),
    ];
    const declared = mates[0] === configuration ? withDeclarations(loaded, gone) : loaded;
    return { ...configuration, base: { ...base, loaded: declared, declared }, diagnostics };
  });
}

/** The base of a root file with what removed root files of its organization declared: else it would not be missed. */
function withDeclarations(base: Configuration, removed: readonly NamedRoot[]): Configuration {
  const others = removed.flatMap(({ configuration }) => (isOfOne(configuration, base) ? configuration : []));
  if (others.length === 0) return base;
  const all = [...others, base];
  const resources = new Map(all.flatMap(({ desired }) => [...desired.resources]));
  return {
    ...base,
    desired: { ...base.desired, resources },
    grantProjects: new Map(all.flatMap(({ grantProjects }) => [...grantProjects])),
    lookUps: all.flatMap(({ lookUps }) => lookUps),
  };
}

function renamedRoot(
  removed: readonly NamedRoot[],
  { loaded, name }: { readonly loaded: Configuration; readonly name: string },
): Diagnostic[] {
  const former = removed.find((one) => one.configuration === loaded);
  return former ? [note('rule-changed', `this change renames the root file ${former.name} to ${name}`)] : [];
}

/**
 * The configuration with ids instead of names in its base, as far as the run has read them for the configuration itself: a
 * base needs no request. A name that stays is equal to the same name only.
 */
export async function resolveBase(
  configuration: Configuration,
  source: LiveSource,
  selection: PlanSelection,
  { named }: Pick<RunContext, 'named'>,
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
        ...unloadable(base, { message: first?.message ?? 'it has errors' }, named),
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
  named: RunContext['named'],
): Diagnostic[] {
  const code = 'base-unreadable';
  const message = `cannot load the base ${ref}: ${why}`;
  if (onlyChanged)
    throw new AttuneError(message, {
      code,
      hint: `${hint === undefined ? 'correct the base' : hint}, or plan without ${named('only-changed')}`,
    });
  return [warning(code, `${message}; the cause of each change is unknown`, { hint })];
}
