import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

/** The pages that people read, relative to the repository. Pages in docs/api are generated. */
export const pages: readonly string[] = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md') && !/node_modules|\.vitepress/.test(name)),
];

export interface CodeBlock {
  /** What a comment above it names: a file that has this content, or what a test does with it. */
  readonly label: string | undefined;
  readonly language: string;
  /** Without the indentation of a list. */
  readonly text: string;
  /** Where the text starts in the page. */
  readonly at: number;
  readonly line: number;
}

export function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

export function codeBlocksOf(page: string): CodeBlock[] {
  const source = textOf(page);
  const blocks = source.matchAll(
    /(?:<!-- (.+) -->\n+|^\*\*(Add to )?`([^`\n]+)`\*\*\n+)?^( *)```([^\n]*)\n([\s\S]*?)^ *```$/gm,
  );
  return [...blocks].map(({ index, 0: all, ...groups }) => {
    const { 1: comment, 2: added, 3: file, 4: indent = '', 5: language = '', 6: text = '' } = groups;
    const label = file === undefined ? comment : `${added === undefined ? '' : 'add to '}${file}`;
    const at = index + all.indexOf('\n', all.indexOf('```')) + 1;
    return {
      label,
      language,
      text: indent === '' ? text : text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      at,
      line: source.slice(0, at).split('\n').length - 1,
    };
  });
}
