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
  /** All that a plan of either needs. */
  readonly live: Live;
  readonly source: LiveSource;
  readonly address: string;
  /** The present time, which decides about holds. */
  readonly now: Date;
}

/**
 * Plans edited files as `apply` does, and reports what a plan of the former files did not have: changes of resources that
 * were not edited. Errors of the former plan remain, so they are warnings.
 *
 * @throws {AttuneError} if the edited files have an error that the former ones did not have; nothing may be written.
 */
export async function checkResult(written: CheckResultInput): Promise<Diagnostic[]> {
  const input = {
    ...written,
    former: atTime(written.former, written),
    configuration: atTime(written.configuration, written),
  };
  const errors = await planErrors(input.configuration, input);
  const known = errors.length > 0 ? await planErrors(input.former, input) : [];
  const former = new Set(known.map(keyOfError));
  const added = errors.find((error) => !former.has(keyOfError(error)));
  if (added !== undefined) {
    throw new AttuneError(`cannot change the files: every plan of them would fail: ${added.message}`, {
      code: 'not-plannable',
      hint: `${added.hint ?? 'correct the file at this place'}; no files were written`,
    });
  }
  return [...errors.map(stillFails), ...besides(input)];
}

async function planErrors(
  configuration: Configuration,
  { live, source, address, now }: CheckResultInput,
): Promise<readonly Diagnostic[]> {
  const { diagnostics } = await planResolved(configuration, {
    source: { ...source, read: async () => live },
    address,
    now,
    dialect: live.dialect,
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

function stillFails({ location: _location, ...error }: Diagnostic): Diagnostic {
  return { ...error, severity: 'warning' };
}

/** A selector also matches workspaces that are declared now, and were to be deleted before. */
function besides({ former, configuration, live }: CheckResultInput): Diagnostic[] {
  const before = new Set(diff(former, live, { purpose: 'drift' }).changes.flatMap(keysOfChange));
  return diff(configuration, live, { purpose: 'drift' }).changes.flatMap(
    (change): Diagnostic | Diagnostic[] => {
      const added = keysOfChange(change).filter((key) => !before.has(key));
      if (added.length === 0) return [];
      const { address, fields } = change;
      const what = fields.map(({ path }) => path).join(', ') || change.action;
      return warning('still-differs', `the next plan changes ${address}: ${what}`, {
        at: { address },
        hint: `run \`attune accept ${address}\` to keep the live values, or \`attune plan --only ${address}\` to review the change`,
      });
    },
  );
}

function keysOfChange({ address, action, fields }: Change): string[] {
  return action === 'update'
    ? fields.map(({ path, after }) => `${address} ${path} ${JSON.stringify(after)}`)
    : [`${address} ${action}`];
}
