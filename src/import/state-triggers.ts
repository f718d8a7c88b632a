import type { Stating } from './stating.ts';

/**
 * The live service takes one way to start runs and the language refuses two in its dialect. Where a service answers two
 * all the same, the one that it goes by stands in the file: Git tags over patterns over prefixes.
 */
export function exclusiveTriggers(stating: Stating): void {
  if (stating.live.dialect !== 'terraform') return;
  const { attributes } = stating.workspace;
  const fills = (path: string) => {
    const value = attributes[path];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';
  };
  const byTag = fills('vcs-repo.tags-regex');
  const byPattern = fills('trigger-patterns');
  const triggers = attributes['file-triggers-enabled'];
  const reason = (other: string) => `this dialect does not take it together with ${other}`;
  if (byTag && byPattern) stating.leaveOut('trigger-patterns', reason('tags-regex'));
  if (byTag && fills('trigger-prefixes')) stating.leaveOut('trigger-prefixes', reason('tags-regex'));
  if (byTag && triggers === true) stating.leaveOut('file-triggers-enabled');
  if (byTag) return;
  if (byPattern && fills('trigger-prefixes'))
    stating.leaveOut('trigger-prefixes', reason('trigger-patterns'));
  if (byPattern && triggers === false) stating.leaveOut('file-triggers-enabled', reason('trigger-patterns'));
}
