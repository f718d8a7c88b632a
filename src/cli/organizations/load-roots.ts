import { type LoadResult, loadConfig } from '../../desired/load-config.ts';
import type { Session } from '../session/session.ts';
import { withProgram } from './run-program.ts';

/**
 * Loads what a command is about: root files, `attune.yaml` where none is named, and what the program of `--app` declares.
 * With a program only the files that are named are read beside it.
 *
 * @throws {AttuneError} where the program fails or declares nothing.
 */
export function loadRoots(
  roots: readonly string[],
  { flags, io }: Pick<Session, 'flags' | 'io'>,
): Promise<LoadResult> {
  const address = flags.address || io.env.ATTUNE_ADDRESS;
  const options = { cwd: io.cwd, ...(address && { address }) };
  if (flags.app === undefined) return loadConfig(roots.length > 0 ? roots : ['attune.yaml'], options);
  return withProgram(flags.app, io, (synthesized) => loadConfig(roots, { ...options, synthesized }));
}
