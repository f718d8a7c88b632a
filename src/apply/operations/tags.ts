import { bindingsFromDocument, includingBindings } from '../../live/included.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import { bindingTexts, type ListRule, mapListRule, type TagBindings } from '../../model/list-rule.ts';
import type { Written } from '../../model/plan.ts';
import { isTexts, type Value, type Values } from '../../model/value.ts';
import { bindingsIn } from '../../service/call-codec.ts';
import type { ServiceReader } from '../../service/client.ts';
import { asResourceObject, type Document, type ResourceObject, resourceOf } from '../../service/documents.ts';
import { isTaken } from '../name-conflict.ts';
import { readProject, readSettings } from '../present-values.ts';
import {
  answeredList,
  compareList,
  compareValues,
  type Pair,
  readAnswer,
  wholeList,
} from './compare-answer.ts';
import { type OperationHandler, type PreparedCall, type SendContext, sendRepeatable } from './operation.ts';

/** Delays in milliseconds before retrying to add a tag that another run created at the same moment. */
const raceWaits = [200, 400, 800];

const answered = answeredList('tags', storedTags, answeredTags, asStored);

const addTags: OperationHandler = {
  ...answered,
  /** The first use of a tag is sent alone: see {@link FirstUses}. */
  send(prepared, context) {
    const tags = storedTags(prepared, context.dialect);
    return context.firstUses.use('add' in tags ? tags.add : [], () => add(prepared, context));
  },
  read: readSettings,
};

const removeTags: OperationHandler = {
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

const upsertBindings: OperationHandler = { ...upsert, read: readSettings };
const upsertProjectBindings: OperationHandler = { ...upsert, read: readProject };

export const tagOperations = { addTags, removeTags, upsertBindings, upsertProjectBindings };

export function readerOfSent({ bindings }: Written, reader: ServiceReader): ServiceReader {
  return bindings === undefined ? reader : includingBindings(reader);
}

/**
 * An answer with the document of a resource, which can have its key/value tags.
 *
 * @param pairsOf the values that are compared with what was sent
 * @param shownOf the values that the journal records
 */
export function answeredResource(
  pairsOf: (sent: Values, answered: ResourceObject, dialect: Dialect) => readonly Pair[],
  shownOf: (
    prepared: Pick<PreparedCall, 'written' | 'change'>,
    answered: ResourceObject,
    dialect: Dialect,
  ) => readonly (readonly [path: string, value: Value | undefined])[],
): Required<Pick<OperationHandler, 'verify' | 'record'>> {
  return {
    verify({ written: { values, bindings }, change: { address } }, document, dialect) {
      const answered = resourceOf(document);
      if (!answered) return [];
      const own = ownBindings(answered);
      const isCompared = bindings && 'exactly' in bindings && own;
      return [
        ...compareValues(address, pairsOf(values, answered, dialect)),
        ...(isCompared
          ? compareList(address, {
              path: 'tag-bindings',
              rule: { exactly: bindingTexts(bindings.exactly) },
              answered: bindingTexts(own),
            })
          : []),
      ];
    },
    record(prepared, document, dialect) {
      const answered = resourceOf(document);
      if (!answered) return {};
      const own = prepared.written.bindings && ownBindings(answered);
      return readAnswer(() => ({
        ...Object.fromEntries(shownOf(prepared, answered, dialect)),
        ...(own && { 'tag-bindings': own }),
      }));
    },
  };
}

function ownBindings(answered: ResourceObject): TagBindings | undefined {
  return answered.included && bindingsFromDocument(answered)?.own;
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
