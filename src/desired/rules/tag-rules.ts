import { isRecord, type Value } from '../../model/value.ts';
import { countingLists, type Field } from '../fields.ts';
import { quote } from '../text.ts';
import type { Rule } from './rule.ts';

/**
 * A tag that a layer adds and the same or a lower layer removes with other letter case. The layers merge as if both were
 * two tags, because they are in one of the dialects; in the other one the removal would win.
 */
export const tagRule: Rule = ({ fields }, { dialect }) => {
  const tags = fields.get('tags');
  const removed = tags && dialect !== 'iac' ? removedTags(tags) : undefined;
  if (!tags || !removed?.size) return undefined;
  for (const { tag, location } of lastMentions(tags).filter(({ isAdded }) => isAdded)) {
    const other = removed.get(tag.toLowerCase());
    if (other === undefined || other === tag) continue;
    return {
      severity: dialect === 'terraform' ? 'error' : 'warning',
      code: 'added-and-removed',
      message: `the tag ${quote(tag)} is added and ${quote(other)} is removed, but live services store tags in lower case: the workspace does not get the tag`,
      hint: `write ${quote(tag.toLowerCase())} to add it, or remove it here`,
      location,
    };
  }
  return undefined;
};

/** What all layers together remove, by the tag in lower case. */
function removedTags({ value }: Field): ReadonlyMap<string, string> {
  const { remove, except } = isRecord(value) ? value : {};
  const tags = [remove, except].flatMap((list: Value | undefined) =>
    Array.isArray(list) ? list.map(String) : [],
  );
  return new Map(tags.map((tag) => [tag.toLowerCase(), tag]));
}

/** The highest entry of each tag, whatever its case. In one layer, an addition is higher than a removal. */
function lastMentions(tags: Field) {
  const mentions = [...countingLists(tags)].flatMap(({ field, list }) =>
    list.items.map((item, index) => ({
      tag: String(item),
      isAdded: list.effect !== 'remove',
      field,
      location: list.locate(index),
    })),
  );
  const last = new Map<string, (typeof mentions)[number]>();
  for (const mention of mentions) {
    const key = mention.tag.toLowerCase();
    const known = last.get(key);
    if (mention.isAdded || known?.field !== mention.field) last.set(key, mention);
  }
  return [...last.values()];
}
