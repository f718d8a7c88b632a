import { wirePlaces } from '../model/attributes.ts';
import type { Dialect } from '../model/dialect.ts';
import { permissionPaths, permissionWireName } from '../model/permissions.ts';
import { isRecord } from '../model/value.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** How a dialect spells attributes on the wire, and back to the names of the interface. */
export interface Spelling {
  toWire(attributes: Attributes): Attributes;
  fromWire(attributes: Attributes): Attributes;
}

export function spellingOf(dialect: Dialect): Spelling {
  const different = [
    ...wirePlaces[dialect].map(({ path, name }) => ({ path, name })),
    ...permissionPaths.map((path) => ({ path, name: permissionWireName(path, dialect) })),
  ]
    .map(({ path, name }) => ({ path, wire: path.slice(0, path.indexOf('.') + 1) + name }))
    .filter(({ path, wire }) => path !== wire);
  const wireNames = new Map(different.map(({ path, wire }) => [path, lastName(wire)]));
  const neutralNames = new Map(different.map(({ path, wire }) => [wire, lastName(path)]));
  return {
    toWire: (attributes) => respelled(attributes, wireNames),
    fromWire: (attributes) => respelled(attributes, neutralNames),
  };
}

function lastName(path: string): string {
  return path.slice(path.indexOf('.') + 1);
}

/** `names` has the new name of what stands at a dotted path. */
function respelled(attributes: Attributes, names: ReadonlyMap<string, string>, holder = ''): Attributes {
  if (names.size === 0) return attributes;
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      names.get(holder + name) ?? name,
      holder === '' && isRecord(value) ? respelled(value, names, `${name}.`) : value,
    ]),
  );
}
