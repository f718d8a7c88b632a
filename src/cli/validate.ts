import { loadConfig } from '../desired/load-config.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { renderDiagnostics } from '../report/diagnostics-text.ts';
import { coloured } from '../report/paint.ts';
import { counted } from '../report/plan-text.ts';
import { diagnosticsDocument } from './console.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { createSession, shownFrom } from './session.ts';

export type ValidateFlags = Pick<CommonFlags, 'format' | 'color' | 'quiet'>;

/** Checks the files offline. Its diagnostics are its result, so they go to stdout. */
export async function validate(roots: readonly string[], flags: ValidateFlags, io: Io): Promise<number> {
  const { console } = createSession(io, flags);
  const loaded = await loadConfig(roots.length > 0 ? roots : ['attune.yaml'], { cwd: io.cwd });
  const code = hasErrors(loaded.diagnostics) ? 1 : 0;
  if (flags.format === 'json') {
    console.document(diagnosticsDocument(loaded.diagnostics));
    return code;
  }
  for (const { folder, diagnostics } of loaded.roots) {
    if (diagnostics.length === 0) continue;
    const options = { color: console.paint === coloured, path: shownFrom(io.cwd, folder) };
    console.result(`${renderDiagnostics(diagnostics, options).trimEnd()}\n`);
  }
  for (const { desired } of loaded.configurations) {
    const count = desired.resources.size;
    console.say(`${desired.organization}: ${counted(count, 'declared resource')}, no errors.`);
  }
  return code;
}
