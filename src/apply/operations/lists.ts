import { type Diagnostic, note } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import {
  bindingTexts,
  type ListRule,
  listDifference,
  mapListRule,
  type TagBindings,
} from '../../model/list-rule.ts';
import { signedEntries } from '../../model/text.ts';
import { isRecord, isTexts } from '../../model/value.ts';
import { callTo } from '../../plan/operation-endpoints.ts';
import { readConsumerIds } from '../../relations/relations.ts';
import { bindingsIn } from '../../service/call-codec.ts';
import { asResourceObject, type Document, type ResourceObject } from '../../service/documents.ts';
import { isHidden } from '../../service/service-error.ts';
import { requireUnchanged } from '../changed-since-plan.ts';
import { isTaken } from '../name-conflict.ts';
import { readProject, readSettings } from '../present-values.ts';
import { compareList, readAnswer } from './compare-answer.ts';
import {
  isFresh,
  type OperationHandler,
  type PreparedCall,
  type SendContext,
  sendRepeatable,
} from './operation.ts';

/** Delays in milliseconds before retrying to add a tag that another call created at the same moment. */
const raceWaits = [200, 400, 800];

const removeTags: OperationHandler = {
  ...answeredList('tags', storedTags, answeredTags, asStored),
  send: sendRepeatable,
  read: readSettings,
};

/** If the service refuses a new tag because another call uses it at the same moment, the tag exists shortly after. */
const addTags: OperationHandler = { ...removeTags, send: add };

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

function verifyBindings({ written: { bindings }, change }: PreparedCall, document: Document): Diagnostic[] {
  const answered = answeredBindings(document);
  const add = bindings && 'add' in bindings ? bindingTexts(bindings.add) : [];
  return compareList(change.address, 'tag-bindings', { add, remove: [] }, answered && bindingTexts(answered));
}

function answeredBindings(document: Document): TagBindings | undefined {
  const items = wholeList(document);
  return items && bindingsIn(items);
}

const path = 'remote-state-consumers';

const changeConsumers: OperationHandler = {
  ...answeredList(
    path,
    ({ written }) => written.consumers,
    (document) => wholeList(document)?.map(({ id }) => id),
  ),
  send: sendRepeatable,
  read: async ({ id }, { reader }) => ({ [path]: await readConsumerIds(reader, id) }),
};

/**
 * Replacing a consumer list needs the right to manage all workspaces of the organization (interface, section 4.5). If
 * the token lacks it, the same change is made with POST and DELETE.
 */
const replaceConsumers: OperationHandler = {
  ...changeConsumers,
  async send(prepared, context) {
    const before = await checkedList(prepared, context);
    if (context.rights.replaceConsumers) {
      try {
        return await sendRepeatable(prepared, context);
      } catch (error) {
        if (!isHidden(error)) throw error;
      }
    }
    await replaceOneByOne(prepared, context, before ?? (await readConsumerIds(context.reader, prepared.id)));
    return undefined;
  },
};

export const listOperations = {
  addTags,
  removeTags,
  upsertBindings,
  upsertProjectBindings,
  replaceConsumers,
  addConsumers: changeConsumers,
  removeConsumers: changeConsumers,
};

function answeredList(
  path: string,
  ruleOf: (prepared: PreparedCall, dialect: Dialect) => ListRule | undefined,
  read: (document: Document) => readonly string[] | undefined,
  stored: (entry: string, dialect: Dialect) => string = (entry) => entry,
): Required<Pick<OperationHandler, 'verify' | 'record'>> {
  return {
    verify(prepared, document, dialect) {
      const rule = ruleOf(prepared, dialect);
      const answered = read(document)?.map((entry) => stored(entry, dialect));
      return rule ? compareList(prepared.change.address, path, rule, answered) : [];
    },
    record: (_prepared, document) => readAnswer(() => ({ [path]: read(document) })),
  };
}

/** The items of a complete list; `undefined` for the first of several pages, which does not show the rest. */
function wholeList({ data, meta }: Document): readonly ResourceObject[] | undefined {
  if (!Array.isArray(data)) return undefined;
  const items = data.flatMap((item: unknown) => asResourceObject(item) ?? []);
  const pagination = isRecord(meta) ? meta.pagination : undefined;
  const total = isRecord(pagination) ? pagination['total-count'] : undefined;
  return items.length < data.length || (typeof total === 'number' && total > items.length)
    ? undefined
    : items;
}

/** `undefined` if the plan could not read it, so that there is nothing to compare. */
async function checkedList(
  prepared: PreparedCall,
  context: SendContext,
): Promise<readonly string[] | undefined> {
  const { change } = prepared;
  const stored = change.facts?.[path];
  const planned = Array.isArray(stored) ? stored.map(String) : change.action === 'create' ? [] : undefined;
  if (planned === undefined || change.action === 'create' || isFresh(context)) return planned;
  const now = await readConsumerIds(context.reader, prepared.id);
  const { add, remove } = listDifference(planned, now);
  const difference = signedEntries(add, remove).join(' ');
  requireUnchanged(change, difference === '' ? [] : [`its consumers changed meanwhile (${difference})`]);
  return now;
}

async function replaceOneByOne(
  { written, id: workspace }: PreparedCall,
  { send, dialect, rights, notice }: SendContext,
  before: readonly string[],
): Promise<void> {
  const wanted = written.consumers && 'exactly' in written.consumers ? written.consumers.exactly : before;
  const { add, remove } = listDifference(before, wanted);
  const changes = [
    ['addConsumers', { add, remove: [] }],
    ['removeConsumers', { add: [], remove }],
  ] as const;
  for (const [operation, consumers] of changes) {
    if (consumers.add.length + consumers.remove.length === 0) continue;
    await send(callTo(operation, { workspace }, { values: {}, consumers }, dialect), { repeatable: true });
    // The call succeeded, so the service refused only the replacement and not the change.
    if (rights.replaceConsumers) notice(note('consumers-one-by-one', oneByOne));
    rights.replaceConsumers = false;
  }
}

const oneByOne =
  'this token may not replace consumer lists; consumers are added and removed one by one instead';
