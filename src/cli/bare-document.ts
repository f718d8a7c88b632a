import type { Diagnostic } from '../model/diagnostic.ts';
import { jsonText } from '../report/json-text.ts';

/** Looked for by hand: the command line could not be read, or is none of ours to read here. */
export function wantsJson(argv: readonly string[]): boolean {
  return argv.some(
    (word, index) => word === '--format=json' || (word === 'json' && argv[index - 1] === '--format'),
  );
}

/** The one document of a run that ends before its command could make any. */
export function bareDocument(diagnostic: Diagnostic): string {
  return jsonText({ format: 'attune.diagnostics/1', diagnostics: [diagnostic] });
}
