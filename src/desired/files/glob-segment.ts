/** One segment of a path pattern: `**` for any number of folders, else its parts. */
export type Segment = '**' | readonly Part[];

type Part =
  | { readonly kind: 'any' | 'one' }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'class';
      readonly negated: boolean;
      readonly ranges: readonly (readonly [string, string])[];
    };

/** Reads `*`, `?`, `[a-z]`, `[!a]` and `\*`; all other characters are literal. */
export function parseSegment(segment: string): Segment {
  if (segment === '**') return '**';
  const parts: Part[] = [];
  const characters = [...segment];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const end = character === '[' ? characters.indexOf(']', at + 2) : -1;
    if (character === '*') {
      if (parts.at(-1)?.kind !== 'any') parts.push({ kind: 'any' });
    } else if (character === '?') parts.push({ kind: 'one' });
    else if (end > 0) {
      parts.push(parseClass(characters.slice(at + 1, end)));
      at = end;
    } else if (character === '\\' && at + 1 < characters.length)
      parts.push({ kind: 'text', text: characters[++at] ?? '' });
    else parts.push({ kind: 'text', text: character });
  }
  return parts;
}

function parseClass(characters: readonly string[]): Part {
  const negated = characters[0] === '!' || characters[0] === '^';
  const ranges: [string, string][] = [];
  for (let at = negated ? 1 : 0; at < characters.length; at++) {
    const first = characters[at] ?? '';
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length;
    ranges.push([first, isRange ? (characters[at + 2] ?? first) : first]);
    if (isRange) at += 2;
  }
  return { kind: 'class', negated, ranges };
}

/**
 * Whether a name matches. After a mismatch only the last `*` takes one character more: an earlier one need not, because
 * the leftmost match leaves the most text. So the time is at most the product of the two lengths.
 */
export function matchesSegment(segment: Exclude<Segment, '**'>, name: string): boolean {
  // As in a shell, a wildcard does not match the dot of a hidden file.
  const [first] = segment;
  if (name.startsWith('.') && !(first?.kind === 'text' && first.text === '.')) return false;
  const characters = [...name];
  let [part, at] = [0, 0];
  let retry: { readonly part: number; at: number } | undefined;
  while (at < characters.length) {
    const wanted = segment[part];
    if (wanted?.kind === 'any') {
      retry = { part: ++part, at };
    } else if (wanted && matchesPart(wanted, characters[at] ?? '')) {
      part++;
      at++;
    } else if (retry) {
      part = retry.part;
      at = ++retry.at;
    } else return false;
  }
  while (segment[part]?.kind === 'any') part++;
  return part === segment.length;
}

function matchesPart(part: Part, character: string): boolean {
  switch (part.kind) {
    case 'any':
    case 'one':
      return true;
    case 'text':
      return part.text === character;
    case 'class':
      return part.ranges.some(([from, to]) => from <= character && character <= to) !== part.negated;
    default:
      return part satisfies never;
  }
}
