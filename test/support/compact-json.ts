const width = 110;

/** JSON with as many members on a line as fit, so that expected documents are short. */
export function compactJson(value: unknown, indent = '', before = 0): string {
  const line = oneLine(value);
  if (typeof value !== 'object' || value === null || indent.length + before + line.length < width)
    return line;
  const deeper = `${indent}  `;
  const members = Array.isArray(value)
    ? value.map((one) => compactJson(one, deeper))
    : Object.entries(value).map(([key, one]) => {
        const name = `${JSON.stringify(key)}: `;
        return `${name}${compactJson(one, deeper, name.length)}`;
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${filled(members, deeper)}\n${indent}${close}`;
}

/** Members on as few lines as possible. One of several lines begins its own. */
function filled(members: readonly string[], indent: string): string {
  const lines: string[] = [];
  for (const member of members) {
    const last = lines.at(-1);
    if (
      last === undefined ||
      /\n/.test(last + member) ||
      indent.length + last.length + member.length + 3 > width
    )
      lines.push(member);
    else lines.splice(-1, 1, `${last}, ${member}`);
  }
  return lines.map((line) => indent + line).join(',\n');
}

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const members = Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${oneLine(one)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}
