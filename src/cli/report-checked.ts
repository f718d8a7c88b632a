import type { Configuration } from '../desired/configuration.ts';
import type { LoadResult } from '../desired/load-config.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { counted } from '../model/text.ts';
import { neededLookUps } from '../plan/live-query-of.ts';
import { loadedEntries } from '../run/load.ts';
import { emit } from './emit.ts';
import type { Session } from './session.ts';

/** Reports what is wrong with files. These diagnostics are the result, so they go to stdout. */
export async function reportChecked(loaded: LoadResult, session: Session): Promise<number> {
  const entries = loadedEntries(loaded, session);
  await emit(session, { kind: 'validate', entries });
  for (const configuration of loaded.configurations) session.console.inform(summaryOf(configuration));
  return hasErrors(loaded.diagnostics) ? 1 : 0;
}

function summaryOf(configuration: Configuration): string {
  const { organization, resources } = configuration.desired;
  const names = neededLookUps(configuration).length;
  const open =
    names > 0 ? ` ${counted(names, 'name')} ${names > 1 ? 'are' : 'is'} left for a plan to look up.` : '';
  return `${organization}: ${counted(resources.size, 'declared resource')}, no errors.${open}`;
}
