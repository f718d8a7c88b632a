import type { Configuration } from '../desired/configuration.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { counted } from '../model/text.ts';
import { neededLookUps } from '../plan/live-query-of.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { loadRoots } from './organizations/load-roots.ts';
import { emit, entryOf } from './session/emit.ts';
import { runSession } from './session/run-session.ts';

/** Checks the files offline. Its diagnostics are its result, so they go to stdout. */
export function validate(roots: readonly string[], flags: CommonFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'validate', async (session) => {
    const { console } = session;
    const loaded = await loadRoots(roots, session);
    const entries = loaded.roots.map(({ folder, diagnostics }) => entryOf(session, folder, { diagnostics }));
    await emit(session, { kind: 'validate', entries });
    for (const configuration of loaded.configurations) console.say(checked(configuration));
    return hasErrors(loaded.diagnostics) ? 1 : 0;
  });
}

function checked(configuration: Configuration): string {
  const { organization, resources } = configuration.desired;
  const names = neededLookUps(configuration).length;
  const open =
    names > 0 ? ` ${counted(names, 'name')} ${names > 1 ? 'are' : 'is'} left for a plan to look up.` : '';
  return `${organization}: ${counted(resources.size, 'declared resource')}, no errors.${open}`;
}
