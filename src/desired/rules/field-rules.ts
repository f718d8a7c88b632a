import { destroyTime, listPaths } from '../../model/attributes.ts';
import type { Field, LayerName } from '../../model/fields.ts';
import type { WrittenBindings } from '../../model/list-rule.ts';
import type { Selector } from '../../model/selector.ts';
import { quote } from '../../model/text.ts';
import { isRecord, type Moment, momentOf, type Values } from '../../model/value.ts';
import { commentInstead } from '../files/source.ts';
import { reporter } from '../problems.ts';
import { type ReadContext, selectorText } from '../references.ts';
import { checkBindings } from '../tag-bindings.ts';

export interface LayerContext extends ReadContext {
  readonly layer: LayerName;
  readonly address?: string;
}

type Reporter = ReturnType<typeof reporter>;

const nouns: Readonly<Record<string, string>> = {
  tags: 'tag',
  'remote-state-consumers': 'consumer',
  'trigger-patterns': 'pattern',
  'trigger-prefixes': 'prefix',
};

export function checkField(path: string, field: Field, holder: object, context: LayerContext): void {
  checkScalar(path, field.raw, holder, context);
  const report = reporter(context.loading, context.address);
  if (path === 'operations')
    report.warning(
      'deprecated-operations',
      '"operations" is deprecated',
      field.location,
      'write execution-mode: remote for true, local for false',
    );
  else if (path === destroyTime) readMoment(holder, path, report);
  else if (listPaths.has(path)) checkList(path, field, report);
  else if (path === 'tag-bindings' && field.value !== undefined)
    checkBindings(field.raw as WrittenBindings, report);
}

function checkScalar(path: string, raw: Field['raw'], holder: object, { loading, address }: LayerContext) {
  const key = path.slice(path.indexOf('.') + 1);
  const comment = raw === null ? commentInstead(loading.origins, holder, key) : '';
  const { error, isLiteral, warning, atValue } = reporter(loading, address);
  if (comment !== '')
    warning(
      'unclear-value',
      `${quote(key)} is empty: ${comment} is a comment`,
      atValue(holder, key),
      `put quotes around it if it is the value: "${comment}"`,
    );
  if (!/^vcs-repo\.(?:identifier|branch)$/.test(path) || typeof raw !== 'string') return;
  if (isLiteral(`the ${key}`, raw, atValue(holder, key))) return;
  const repository = /^(?:[a-z][a-z+.-]*:\/\/[^/]+\/|[^/@:]+@[^/@:]+:)(.+?)(?:\.git)?\/?$/i;
  const [, name] = repository.exec(raw) ?? [];
  const message = `${quote(key)} is the address of the repository: ${quote(raw)}`;
  if (name !== undefined) error('bad-value', message, atValue(holder, key), `write ${name}`);
}

export function readMoment(holder: object, key: string, { error, atValue }: Reporter): Moment | undefined {
  const written = (holder as Values)[key];
  if (typeof written !== 'string') return undefined;
  const moment = momentOf(written);
  const message = `invalid ${quote(key)} ${quote(written)}: this time does not exist`;
  if (moment === undefined) error('bad-value', message, atValue(holder, key));
  return moment;
}

function checkList(path: string, { raw, value, layer, lists = [], location }: Field, report: Reporter): void {
  for (const { items, locate } of path === 'tags' ? lists : [])
    for (const [index, tag] of items.entries()) checkTag(String(tag), locate(index), report);
  // Lists of layers add, so that an empty one does nothing.
  const message = `${quote(path)} is an empty list: a list of a layer adds to each workspace, and this one adds nothing`;
  const hint = `write ${path}: {exactly: []} to empty the list, or remove the line`;
  if (layer !== 'workspace' && Array.isArray(raw) && raw.length === 0)
    report.warning('empty-layer-list', message, location, hint);
  if (value !== undefined) checkBothWays(nouns[path] ?? 'entry', lists, report);
}

function checkTag(tag: string, location: Field['location'], report: Reporter): void {
  if (report.isLiteral('the tag', tag, location)) return;
  const lower = tag.toLowerCase();
  if (tag !== lower)
    report.warning(
      'upper-case-tag',
      `the tag ${quote(tag)} has upper-case letters, and live services store tags in lower case`,
      location,
      `write ${quote(lower)}`,
    );
}

function checkBothWays(noun: string, lists: NonNullable<Field['lists']>, { error }: Reporter): void {
  const keys = (effect: 'add' | 'remove') =>
    lists.flatMap((list) => (list.effect === effect ? list.items.map((item) => JSON.stringify(item)) : []));
  const added = new Set(keys('add'));
  const both = new Set(keys('remove').filter((key) => added.has(key)));
  for (const { items, locate } of lists)
    for (const [index, entry] of items.entries())
      if (both.delete(JSON.stringify(entry)))
        error(
          'added-and-removed',
          `the ${noun} ${isRecord(entry) ? selectorText(entry as Selector) : quote(entry)} is both added and removed`,
          locate(index),
        );
}
