import { createTwoFilesPatch } from 'diff';
import { type Paint, plain, type Style } from '../report/paint.ts';

/** The changes of the files in the form of `git diff`, for `git apply` as well. */
export function unifiedDiff(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  { paint = plain, path }: { readonly paint?: Paint; readonly path: (file: string) => string },
): string {
  return [...after]
    .filter(([file, text]) => before.get(file) !== text)
    .map(([file, text]) => {
      const name = path(file);
      const former = before.get(file);
      const patch = createTwoFilesPatch(
        former === undefined ? '/dev/null' : `a/${name}`,
        `b/${name}`,
        former ?? '',
        text,
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
