import { diff } from '../diff/diff.ts';
import { atTime } from '../hold/at-time.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { AttuneError, DiagnosticsError } from '../model/attune-error.ts';
import type { Change } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, warning } from '../model/diagnostic.ts';
import { planResolved } from './make-plan.ts';

interface CheckResultInput {
  /** The configurations before and after the files were edited, with resolved names. */
  readonly former: Configuration;
  readonly configuration: Configuration;
  readonly live: Live;
  readonly source: LiveSource;
  readonly address: string;
  readonly now: Date;
}

/**
 * Plans edited files as `apply` does, and reports what a plan of the former files did not have: changes of resources that
 * were not edited. Errors of the former plan remain, so they are warnings.
 */
export async function checkResult(input: CheckResultInput): Promise<Diagnostic[]> {
  const [former, configuration] = [atTime(input.former, input), atTime(input.configuration, input)];
  const errors = await planErrors(configuration, input);
  const known = new Set((errors.length > 0 ? await planErrors(former, input) : []).map(keyOfError));
  const added = errors.find((error) => !known.has(keyOfError(error)));
  if (added !== undefined) {
    throw new AttuneError(`cannot change the files: every plan of them would fail: ${added.message}`, {
      code: 'not-plannable',
      hint: `${added.hint ?? 'correct the file at this place'}; no files were written`,
    });
  }
  const warnings = errors.map(
    ({ location: _location, ...error }) => ({ ...error, severity: 'warning' }) as const,
  );
  return [...warnings, ...besides(former, configuration, input.live)];
}

async function planErrors(
  configuration: Configuration,
  { live, source, address, now }: CheckResultInput,
): Promise<readonly Diagnostic[]> {
  const { diagnostics } = await planResolved(configuration, {
    source: { ...source, read: async () => live },
    ...{ address, now, dialect: live.dialect },
  }).then(
    ({ plan }) => plan,
    (error: unknown) => {
      if (error instanceof DiagnosticsError) return error;
      throw error;
    },
  );
  return diagnostics.filter(({ severity }) => severity === 'error');
}

/** Figures in a message may differ. */
function keyOfError({ code, address = '' }: Diagnostic): string {
  return `${code} ${address}`;
}

/** A selector also matches workspaces that are declared now, and were to be deleted before. */
function besides(former: Configuration, configuration: Configuration, live: Live): Diagnostic[] {
  const changesIn = (one: Configuration) => diff(one, live, { purpose: 'drift' }).changes;
  const before = new Set(changesIn(former).flatMap(differencesOf));
  return changesIn(configuration)
    .filter((change) => differencesOf(change).some((key) => !before.has(key)))
    .map(({ address, action, fields }) => {
      const what = fields.map(({ path }) => path).join(', ') || action;
      return warning('still-differs', `the next plan changes ${address}: ${what}`, {
        at: { address },
        hint: `run \`attune accept ${address}\` to keep the live values, or \`attune plan --only ${address}\` to review the change`,
      });
    });
}

function differencesOf({ address, action, fields }: Change): string[] {
  if (action !== 'update') return [`${address} ${action}`];
  return fields.map(({ path, after }) => `${address} ${path} ${JSON.stringify(after)}`);
}
