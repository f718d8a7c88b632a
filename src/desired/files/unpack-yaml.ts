import { nodeKind, type PackedYaml } from './pack-yaml.ts';
import { emptyMapping, KeyOrigins, type Mapping, type Origins, type Source } from './source.ts';

/**
 * Makes the data of a file and its origins, the same as {@link parseYaml} and {@link toPlainData} make of its text. Equal
 * keys and strings share their memory.
 */
export function unpackYaml(packed: PackedYaml, source: Source, origins: Origins): Mapping {
  return unpackNode({ ...packed, source, origins, at: 0 }) as Mapping;
}

interface Cursor extends PackedYaml {
  readonly source: Source;
  readonly origins: Origins;
  /** The index of the next node. */
  at: number;
}

function unpackNode(cursor: Cursor): unknown {
  const { nodes, values, at } = cursor;
  cursor.at += 3;
  const start = nodes[at + 1] as number;
  const about = nodes[at + 2] as number;
  if (nodes[at] === nodeKind.mapping) return unpackMapping(cursor, start, cursor.keys[about] ?? []);
  if (nodes[at] === nodeKind.list) return unpackList(cursor, start, about);
  return values[about];
}

function unpackMapping(cursor: Cursor, start: number, names: readonly string[]): Mapping {
  const { nodes, source, origins } = cursor;
  const data = emptyMapping();
  const offsets = new Array<number>(2 * names.length);
  let index = 0;
  for (const name of names) {
    const { at } = cursor;
    offsets[index++] = nodes[at] as number;
    offsets[index++] = nodes[at + 2] as number;
    cursor.at++;
    data[name] = unpackNode(cursor);
  }
  origins.set(data, { source, start, keys: new KeyOrigins(names, offsets) });
  return data;
}

function unpackList(cursor: Cursor, start: number, length: number): readonly unknown[] {
  const { nodes, source, origins } = cursor;
  const list = new Array<unknown>(length);
  const items = new Array<number>(length);
  for (let index = 0; index < length; index++) {
    items[index] = nodes[cursor.at + 1] as number;
    list[index] = unpackNode(cursor);
  }
  origins.set(list, { source, start, items });
  return list;
}
