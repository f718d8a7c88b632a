import type { Dialect } from '../../model/dialect.ts';
import type { ListRule } from '../../model/list-rule.ts';
import { mapListRule } from '../../model/list-rule.ts';
import { isTexts } from '../../model/value.ts';
import { asResourceObject, type Document } from '../../service/documents.ts';
import { isTaken } from '../name-conflict.ts';
import { readSettings } from '../present-values.ts';
import { answeredList, wholeList } from './compare-answer.ts';
import { type OperationHandler, type PreparedCall, type SendContext, sendRepeatable } from './operation.ts';

/** Delays in milliseconds before retrying to add a tag that another run created at the same moment. */
const raceWaits = [200, 400, 800];

const answered = answeredList('tags', storedTags, answeredTags, asStored);

export const addTags: OperationHandler = {
  ...answered,
  /** The first use of a tag is sent alone: see {@link FirstUses}. */
  send(prepared, context) {
    const tags = storedTags(prepared, context.dialect);
    return context.firstUses.use('add' in tags ? tags.add : [], () => add(prepared, context));
  },
  read: readSettings,
};

export const removeTags: OperationHandler = {
  ...answered,
  send: sendRepeatable,
  read: readSettings,
};

/** If the service refuses a new tag because another run uses it at the same moment, the tag exists shortly after. */
async function add(prepared: PreparedCall, context: SendContext): Promise<Document | undefined> {
  for (const wait of raceWaits) {
    try {
      return await sendRepeatable(prepared, context);
    } catch (error) {
      if (!isTaken(error) || error.status !== 422) throw error;
      await context.clock.sleep(wait);
    }
  }
  return sendRepeatable(prepared, context);
}

function storedTags({ written }: PreparedCall, dialect: Dialect): ListRule {
  const { tags = { add: [], remove: [] } } = written;
  return mapListRule(tags, (names) => names.map((name) => asStored(name, dialect)));
}

/** In the terraform dialect, two spellings of a tag in different case are one tag. */
export function asStored(tag: string, dialect: Dialect): string {
  return dialect === 'terraform' ? tag.toLowerCase() : tag;
}

/** Some services return the resulting list of tags, others the workspace with its tags. */
function answeredTags(document: Document): readonly string[] | undefined {
  const names = asResourceObject(document.data)?.attributes['tag-names'];
  if (isTexts(names)) return names;
  const listed = wholeList(document)?.map(({ attributes }) => attributes.name);
  return isTexts(listed) ? listed : undefined;
}
