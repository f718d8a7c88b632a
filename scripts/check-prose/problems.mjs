import { namePatterns } from './terms.mjs';
import { textsOf } from './texts.mjs';

/**
 * The phrases of a file that the style guide does not use, as `file:line:col: "phrase": what to write instead`.
 *
 * @param {string} file Its path, on which it depends which texts are checked.
 * @param {string} source Its text.
 */
export function problemsOf(file, source) {
  const name = { at: 0, text: file.replaceAll(/[-_./]/g, ' '), patterns: namePatterns };
  const found = [name, ...textsOf(file, source)].flatMap(({ at, text, patterns }) => {
    // A phrase may go on after the start of the next line of a comment.
    const flat = text.replaceAll(/\n\s*(?:\*|\/\/|#)\s/g, (gap) => gap.replaceAll(/\S/g, ' '));
    if (!patterns.any.test(flat)) return [];
    return patterns.each.flatMap(({ pattern, instead }) =>
      [...flat.matchAll(pattern)].map(({ index, 0: phrase }) => ({ at: at + index, phrase, instead })),
    );
  });
  return found.map(({ at, phrase, instead }) => {
    const lines = source.slice(0, at).split('\n');
    const place = `${file}:${lines.length}:${lines.at(-1).length + 1}`;
    return `${place}: "${phrase.replaceAll(/\s+/g, ' ')}": write instead: ${instead}`;
  });
}
