/**
 * Unique identifiers for Terraform's resources, the same for the same input. A name that is an identifier is kept, so a
 * workspace and its resource usually have the same name.
 */
export function resourceNames(names: Iterable<string>): ReadonlyMap<string, string> {
  const sorted = [...new Set(names)].sort();
  const given = new Map(sorted.filter(isIdentifier).map((name) => [name, name]));
  const taken = new Set(given.keys());
  for (const name of sorted) {
    if (given.has(name)) continue;
    const identifier = freeName(toIdentifier(name), taken);
    given.set(name, identifier);
    taken.add(identifier);
  }
  return given;
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name);
}

function toIdentifier(name: string): string {
  const characters = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_');
  return isIdentifier(characters) ? characters : `_${characters}`;
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
  return name;
}
