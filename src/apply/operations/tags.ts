import { bindingsFromDocument, includingBindings } from '../../live/included.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import { bindingTexts, type ListRule, mapListRule, type TagBindings } from '../../model/list-rule.ts';
import type { Written } from '../../model/plan.ts';
import { isTexts, type Values } from '../../model/value.ts';
import { bindingsIn } from '../../service/call-codec.ts';
import type { ServiceReader } from '../../service/client.ts';
import { asResourceObject, type Document, resourceOf } from '../../service/documents.ts';
import { isTaken } from '../name-conflict.ts';
import { readProject, readSettings } from '../present-values.ts';
import { answeredList, compareList, readAnswer, wholeList } from './compare-answer.ts';
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

/** Adds and overwrites key/value tags by key, and removes none. */
const upsert = {
  send: sendRepeatable,
  verify: verifyBindings,
  record: (_prepared, document) => readAnswer(() => ({ 'tag-bindings': answeredBindings(document) })),
} satisfies OperationHandler;

export const upsertBindings: OperationHandler = { ...upsert, read: readSettings };
export const upsertProjectBindings: OperationHandler = { ...upsert, read: readProject };

export function readerOfSent({ bindings }: Written, reader: ServiceReader): ServiceReader {
  return bindings === undefined ? reader : includingBindings(reader);
}

export function compareBindings(
  address: string,
  { bindings: rule }: Written,
  document: Document,
): Diagnostic[] {
  const answered = resourceOf(document);
  const own = answered?.included && bindingsFromDocument(answered)?.own;
  if (rule === undefined || !('exactly' in rule) || own === undefined) return [];
  return compareList(address, {
    path: 'tag-bindings',
    rule: { exactly: bindingTexts(rule.exactly) },
    answered: bindingTexts(own),
  });
}

export function shownBindings({ bindings }: Written, document: Document): Values {
  const answered = bindings && resourceOf(document);
  const own = answered?.included && bindingsFromDocument(answered)?.own;
  return own ? { 'tag-bindings': own } : {};
}

function verifyBindings({ written: { bindings }, change }: PreparedCall, document: Document): Diagnostic[] {
  const answered = answeredBindings(document);
  const add = bindings && 'add' in bindings ? bindingTexts(bindings.add) : [];
  return compareList(change.address, {
    path: 'tag-bindings',
    rule: { add, remove: [] },
    answered: answered && bindingTexts(answered),
  });
}

function answeredBindings(document: Document): TagBindings | undefined {
  const items = wholeList(document);
  return items && bindingsIn(items);
}
