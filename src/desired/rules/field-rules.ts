import { listPaths } from '../../model/attributes.ts';
import type { Field, LayerName } from '../../model/fields.ts';
import type { WrittenBindings } from '../../model/list-rule.ts';
import { quote } from '../../model/text.ts';
import type { Values } from '../../model/value.ts';
import { isRealTime, type Moment, momentOf } from '../../model/value.ts';
import { locateValue } from '../files/source.ts';
import type { Loading } from '../problems.ts';
import { checkText } from '../problems.ts';
import type { ReadContext } from '../references.ts';
import type { RawList } from '../schema/language.ts';
import { checkBindings } from '../tag-bindings.ts';

/** What reading a layer depends on. */
export interface LayerContext extends ReadContext {
  readonly layer: LayerName;
  /** The workspace, if the layer is one and no template. */
  readonly address?: string;
}

/** A value of a layer, with the mapping that holds it. */
interface CheckedField {
  readonly path: string;
  readonly field: Field;
  readonly container: object;
  readonly key: string;
}

/** The paths that {@link checkField} checks. */
export const checkedPaths: ReadonlySet<string> = new Set([
  'operations',
  'auto-destroy-at',
  'tag-bindings',
  ...listPaths,
]);

/** Checks a single value, once per line, however many workspaces inherit it. */
export function checkField({ path, field, container, key }: CheckedField, context: LayerContext): void {
  const { problems, origins } = context.loading;
  const { address } = context;
  switch (path) {
    case 'operations':
      problems.warning('deprecated-operations', '"operations" is deprecated', {
        at: { address, location: field.location },
        hint: 'write execution-mode: remote for true, local for false',
      });
      return;
    case 'auto-destroy-at':
      if (typeof field.value !== 'string' || isRealTime(field.value)) return;
      problems.error(
        'bad-value',
        `invalid "auto-destroy-at" ${quote(field.value)}: this time does not exist`,
        { at: { address, location: locateValue(origins, container, key) } },
      );
      return;
    case 'tag-bindings':
      if (field.value !== undefined) checkBindings(field.raw as WrittenBindings, context.loading, address);
      return;
    case 'tags':
      checkTags(field, context);
  }
  const noun = entryNouns[path];
  if (noun === undefined) return;
  checkBothWays(noun, field, context);
  checkEmptyLayer(path, field, context);
}

/** The moment under a key. A date that does not exist is reported. */
export function readMoment(holder: object, key: string, { problems, origins }: Loading): Moment | undefined {
  const written = (holder as Values)[key];
  if (typeof written !== 'string') return undefined;
  const moment = momentOf(written);
  if (moment === undefined)
    problems.error('bad-value', `invalid ${quote(key)} ${quote(written)}: this time does not exist`, {
      at: locateValue(origins, holder, key),
    });
  return moment;
}

const entryNouns: Readonly<Record<string, string>> = {
  tags: 'tag',
  'remote-state-consumers': 'consumer',
  'trigger-patterns': 'pattern',
  'trigger-prefixes': 'prefix',
};

/** Lists of layers add, so that an empty one does nothing. */
function checkEmptyLayer(path: string, { raw, layer, location }: Field, { loading }: LayerContext): void {
  if (layer === 'workspace' || !Array.isArray(raw) || raw.length > 0) return;
  loading.problems.warning(
    'empty-layer-list',
    `${quote(path)} is an empty list: a list of a layer adds to each workspace, and this one adds nothing`,
    { at: location, hint: `write ${path}: {exactly: []} to empty the list, or remove the line` },
  );
}

function checkTags({ raw }: Field, { loading, address }: LayerContext): void {
  const { problems, origins } = loading;
  for (const list of listsOf(raw))
    for (const [index, tag] of (list as readonly string[]).entries()) {
      checkText('the tag', tag, { problems, address, location: locateValue(origins, list, index) });
      if (tag === tag.toLowerCase()) continue;
      problems.warning(
        'upper-case-tag',
        `the tag ${quote(tag)} has upper-case letters, and live services store tags in lower case`,
        {
          at: { address, location: locateValue(origins, list, index) },
          hint: `write ${quote(tag.toLowerCase())}`,
        },
      );
    }
}

/** Reports an entry under both `add` and `remove` once, at its first place. */
function checkBothWays(noun: string, { raw, value }: Field, { loading, address }: LayerContext): void {
  if (value === undefined || Array.isArray(raw)) return;
  const { add = [], remove = [] } = raw as Exclude<RawList<unknown>, readonly unknown[]>;
  const { problems, origins } = loading;
  const added = new Set(add.map(identity));
  const both = new Set(remove.map(identity).filter((entry) => added.has(entry)));
  for (const list of listsOf(raw))
    for (const [index, entry] of list.entries()) {
      if (!both.delete(identity(entry))) continue;
      problems.error('added-and-removed', `the ${noun} ${entryText(entry)} is both added and removed`, {
        at: { address, location: locateValue(origins, list, index) },
      });
    }
}

function identity(entry: unknown): string {
  return JSON.stringify(entry);
}

/** A name in quotes; a selector as it is written. */
function entryText(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return quote(entry);
  return `{${Object.entries(entry).map(([key, value]) => `${key}: ${quote(value)}`)}}`;
}

/** A plain list, or those of an additive rule. */
function listsOf(raw: unknown): readonly (readonly unknown[])[] {
  if (typeof raw !== 'object' || raw === null) return [];
  return Array.isArray(raw) ? [raw] : Object.values(raw).filter(Array.isArray);
}
