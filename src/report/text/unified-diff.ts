import { createTwoFilesPatch } from 'diff';
import type { EditedFile } from '../../model/accept-result.ts';
import { type Paint, plain, type Style } from '../paint.ts';

/** The changes of the files in the form of `git diff`, for `git apply` as well. */
export function unifiedDiff(
  files: readonly EditedFile[],
  { paint = plain, path }: { readonly paint?: Paint; readonly path: (file: string) => string },
): string {
  return files
    .map(({ file, before, after }) => {
      const name = path(file);
      const patch = createTwoFilesPatch(
        before === undefined ? '/dev/null' : `a/${name}`,
        `b/${name}`,
        before ?? '',
        after,
        undefined,
        undefined,
        { context: 3 },
      );
      const [, ...lines] = patch.replace(/\n$/, '').split('\n');
      return [`diff --git a/${name} b/${name}`, ...lines].map((line) => `${painted(line, paint)}\n`).join('');
    })
    .join('');
}

function painted(line: string, paint: Paint): string {
  const style = styleOf(line);
  return style === undefined ? line : paint(style, line);
}

function styleOf(line: string): Style | undefined {
  if (/^(diff|---|\+\+\+) /.test(line)) return 'bold';
  const styles: Readonly<Record<string, Style>> = { '@': 'cyan', '+': 'green', '-': 'red' };
  return styles[line[0] ?? ''];
}
