/**
 * The offset in a file of each character of a YAML string, for errors inside it. Undefined if they cannot be assigned:
 * the value is an alias, or is tagged.
 *
 * @param text the file
 * @param start the offset of the string in it
 * @param value the string that it is read as
 */
export function scalarOffsets(text: string, start: number, value: string): readonly number[] | undefined {
  const style = text[start];
  const found =
    style === '|' || style === '>'
      ? blockOffsets(text, start, value)
      : flowOffsets(text, start, value, style === '"' || style === "'" ? style : '');
  const offsets = found.slice(0, value.length);
  const isRight = offsets.every((offset, index) =>
    isWritten(value[index] ?? '', text.slice(offset, offset + 2)),
  );
  return isRight && offsets.length === value.length ? offsets : undefined;
}

function isWritten(character: string, source: string): boolean {
  return character === source[0] || /\s/.test(character) || source[0] === '\\';
}

/** Plain and quoted strings: a line break is a space, further ones are line breaks. */
function flowOffsets(text: string, start: number, value: string, quote: '"' | "'" | ''): number[] {
  const offsets: number[] = [];
  const fold = /[ \t]*(?:\r?\n[ \t]*)+/y;
  const escaping = /\\(?:\r?\n[ \t]*|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)/sy;
  let at = start + quote.length;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  while (offsets.length < value.length && at < text.length) {
    const breaks = take(fold);
    const escaped = quote === '"' ? take(escaping) : undefined;
    if (breaks !== undefined) {
      const lines = breaks.split('\n').length - 1;
      for (let count = Math.max(1, lines - 1); count > 0; count--) offsets.push(at);
      at += breaks.length;
    } else if (escaped !== undefined) {
      // An escaped line break is nothing; a character beyond the first 65,536 is two units.
      if (!/^\\\r?\n/.test(escaped)) offsets.push(at);
      if (escaped.length === 10 && Number.parseInt(escaped.slice(2), 16) > 0xffff) offsets.push(at);
      at += escaped.length;
    } else {
      offsets.push(at);
      at += quote === "'" && text.startsWith("''", at) ? 2 : 1;
    }
  }
  return offsets;
}

/** Literal (`|`) and folded (`>`) strings. */
function blockOffsets(text: string, start: number, value: string): number[] {
  const isFolded = text[start] === '>';
  const offsets: number[] = [];
  let at = lineEnd(text, start) + 1;
  const indent = blockIndent(text, at, value);
  while (offsets.length < value.length && at < text.length) {
    const end = lineEnd(text, at);
    const last = text[end - 1] === '\r' ? end - 1 : end;
    for (let offset = at + indent; offset < last; offset++) offsets.push(offset);
    if (!isFolded) offsets.push(last);
    // In a folded string the value shows what the line break has become.
    else if (value[offsets.length] === ' ') offsets.push(last);
    else if (last > at + indent) while (value[offsets.length] === '\n') offsets.push(last);
    at = end + 1;
  }
  return offsets;
}

/** The first line of a block has the indentation of the block, and the spaces that the value starts with. */
function blockIndent(text: string, start: number, value: string): number {
  const spaces = (line: string) => line.length - line.trimStart().length;
  const first = (lines: string) => lines.split('\n').find((line) => line.trim() !== '') ?? '';
  return spaces(first(text.slice(start))) - spaces(first(value));
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}
