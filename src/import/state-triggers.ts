import type { StatementPath } from './statement.ts';
import type { Stating } from './stating.ts';

/**
 * The live service takes one way to start runs, and the language refuses two in its dialect. Where a service answers two
 * all the same, Git tags stand in the file rather than files, and patterns rather than the flag that forbids them; of
 * patterns and prefixes neither does, since naming one empties the other.
 */
export function exclusiveTriggers(stating: Stating): void {
  if (stating.live.dialect !== 'terraform') return;
  const { attributes } = stating.workspace;
  const fills = (path: StatementPath) => {
    const value = attributes[path];
    return Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value !== '';
  };
  const leaveOut = (path: StatementPath, other: StatementPath) =>
    stating.leaveOut(path, `this dialect does not take it together with ${other}`);
  const [patterns, prefixes, enabled, regex] = [
    'trigger-patterns',
    'trigger-prefixes',
    'file-triggers-enabled',
    'vcs-repo.tags-regex',
  ] as const;
  if (fills(regex)) {
    for (const path of [patterns, prefixes]) if (fills(path)) leaveOut(path, regex);
    if (attributes[enabled] === true) stating.leaveOut(enabled);
  } else if (fills(patterns)) {
    if (attributes[enabled] === false) leaveOut(enabled, patterns);
    if (fills(prefixes)) {
      leaveOut(prefixes, patterns);
      stating.leaveOut(patterns);
    }
  }
}
