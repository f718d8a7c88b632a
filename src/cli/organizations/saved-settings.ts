import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from '../../desired/configuration.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { hasErrors } from '../../model/diagnostic.ts';
import { DiagnosticsError } from '../../model/diagnostics-error.ts';
import type { Plan } from '../../model/plan.ts';
import type { Session } from '../session/session.ts';
import { bareConfiguration } from './bare-configuration.ts';
import type { Connection } from './connect.ts';
import { loadRoots } from './load-roots.ts';

/** A file that Attune made, and what it was made for. */
export interface SavedFor extends Pick<Plan, 'organization' | 'address' | 'dialect'> {
  readonly what: 'plan' | 'journal';
}

const hints = {
  plan: 'apply it where it was made for, or plan again; nothing was written',
  journal: 'undo it where it was written for; nothing was written',
} as const;

/** The files tell how to reach the service: those that are named, else the `attune.yaml` of the working folder. */
export async function readSettings(
  roots: readonly string[],
  session: Pick<Session, 'flags' | 'io'>,
): Promise<readonly Configuration[]> {
  const isNamed = roots.length > 0 || session.flags.app !== undefined;
  if (!isNamed && !(await stat(join(session.io.cwd, 'attune.yaml')).catch(() => undefined))) return [];
  const loaded = await loadRoots(roots, session);
  if (hasErrors(loaded.diagnostics)) throw new DiagnosticsError(loaded.diagnostics);
  return loaded.configurations;
}

/**
 * What the files say about the organization of a file that Attune made. Without files nothing is known but the
 * organization: such a file does not say who gets the token, `--address` or `ATTUNE_ADDRESS` does.
 *
 * @throws {AttuneError} where the files are about others only.
 */
export function settingsFor(saved: SavedFor, settings: readonly Configuration[], cwd: string): Configuration {
  const own = settings.find(({ desired }) => desired.organization === saved.organization);
  if (own) return own;
  if (settings.length > 0) {
    const organizations = settings.map(({ desired }) => desired.organization).join(', ');
    throw refused(
      saved,
      `for the organization ${saved.organization}, and the files are for ${organizations}`,
    );
  }
  return bareConfiguration(saved.organization, cwd);
}

/** @throws {AttuneError} where the run is for another service than the file. */
export function checkSame(saved: SavedFor, { service }: Configuration, { address }: Connection): void {
  if (address !== saved.address) throw refused(saved, `for ${saved.address}, and this run is for ${address}`);
  if (service.dialect && service.dialect !== saved.dialect) {
    throw refused(saved, `in the ${saved.dialect} dialect, and the files say ${service.dialect}`);
  }
}

function refused({ what }: SavedFor, how: string): AttuneError {
  return new AttuneError(`the ${what} is ${how}`, { code: 'other-plan', hint: hints[what] });
}
