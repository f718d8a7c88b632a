import type { LiveSource } from '../../live/live-source.ts';
import { AttuneError, DiagnosticsError } from '../../model/attune-error.ts';
import type { Base, Configuration } from '../../model/configuration.ts';
import { type Diagnostic, warning } from '../../model/diagnostic.ts';
import { readsBindings } from '../../resolve/live-query-of.ts';
import { withFoundNames } from '../../resolve/look-up-names.ts';
import type { PlanSelection } from '../../resolve/plan-request.ts';
import type { RunContext } from '../context.ts';

interface ResolveBaseOptions extends Pick<RunContext, 'named'> {
  readonly source: Pick<LiveSource, 'names'>;
  readonly selection: PlanSelection;
}

/**
 * The configuration with ids instead of names in its base, as far as the run has read them for the configuration itself: a
 * base needs no request. A name that stays is equal to the same name only.
 */
export async function resolveBase(
  configuration: Configuration,
  { source, selection, named }: ResolveBaseOptions,
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
        ...unloadable(base, { why: first?.message ?? 'it has errors' }, named),
      ],
    };
  }
}

/**
 * Why a base is not compared, as a warning. For `--only-changed` it is an error: without its base, everything would be
 * applied.
 */
export function unloadable(
  { ref, onlyChanged }: Pick<Base, 'ref' | 'onlyChanged'>,
  { why, hint }: { readonly why: string; readonly hint?: string | undefined },
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
