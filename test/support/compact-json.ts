const width = 150;

/** JSON with as many members on a line as fit, so that expected documents are short. */
export function compactJson(value: unknown, indent = '', before = 0): string {
  const line = oneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + before + line.length < width)
    return line;
  const isList = Array.isArray(value);
  const entries = Object.entries(value).map(([key, one]) => [isList ? '' : `${JSON.stringify(key)}: `, one]);
  const [open, close] = isList ? '[]' : '{}';
  const [[name = '', only] = []] = entries;
  if (entries.length === 1) {
    const space = isList ? '' : ' ';
    return `${open}${space}${name}${compactJson(only, indent, before + name.length + 2)}${space}${close}`;
  }
  const deeper = `${indent}  `;
  const members = entries.map(([name, one]) => `${name}${compactJson(one, deeper, name.length)}`);
  return `${open}\n${filled(members, deeper)}\n${indent}${close}`;
}

/** Members on as few lines as possible. One of several lines begins its own. */
function filled(members: readonly string[], indent: string): string {
  const lines: string[] = [];
  for (const member of members) {
    const last = lines.at(-1);
    const joined = `${last}, ${member}`;
    const isFull = joined.includes('\n') || indent.length + joined.length >= width;
    if (last === undefined || isFull) lines.push(member);
    else lines.splice(-1, 1, joined);
  }
  return lines.map((line) => indent + line).join(',\n');
}

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${oneLine(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
