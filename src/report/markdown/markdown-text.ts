/*
 * External text is always in code, where GitHub and GitLab render neither HTML nor Markdown, and link no mention, issue,
 * commit or address. A backslash before an `@` is not enough: mentions are searched in the rendered text.
 */

/** A piece of text inside a sentence. It must be on one line. */
export function codeSpan(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  // One space on each side is taken off again; without it a backtick at the end would be one of the fence.
  const pad = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return text.trim() === '' ? '(empty)' : `${ticks}${pad}${text}${pad}${ticks}`;
}

/** A code block. `diff` colors lines that start with a sign. */
export function fenced(language: 'diff' | 'text', lines: readonly string[]): string {
  const ticks = fenceFor(lines);
  return [`${ticks}${language}`, ...lines, ticks].join('\n');
}

/** How many bytes a fence adds to its lines at most. */
export function fenceBytes(lines: readonly string[]): number {
  return 2 * fenceFor(lines).length + '\ntext\n'.length;
}

function fenceFor(lines: readonly string[]): string {
  return '`'.repeat(lines.reduce((most, line) => Math.max(most, longestRun(line) + 1), 3));
}

function longestRun(text: string): number {
  return [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0);
}

/** A line of limited length. */
export function shortened(line: string, most = 600): string {
  const characters = [...line];
  return characters.length <= most
    ? line
    : `${characters.slice(0, most).join('')}… (${characters.length} characters)`;
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
