import { bindingsFromDocument, includingBindings } from '../../live/tag-bindings.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Call } from '../../model/plan.ts';
import {
  type BindingRule,
  bindingDifference,
  bindingText,
  type TagBindings,
} from '../../model/tag-bindings.ts';
import { isRecord, type Values } from '../../model/value.ts';
import type { ServiceReader } from '../../service/client.ts';
import { type Document, type ResourceObject, resourceOf } from '../../service/documents.ts';
import { compareList, readAnswer, wholeList } from './compare-answer.ts';
import { type OperationHandler, type PreparedCall, sendRepeatable } from './operation.ts';
import { readProject, readSettingsAndBindings } from './read-values.ts';
import { dataOf, itemsOf } from './request-body.ts';

/** Adds and overwrites key/value tags by key, and removes none. */
const upsert = {
  writes: (call) => ({ values: {}, bindings: { add: bindingsOf(itemsOf(call)), remove: [] } }),
  send: sendRepeatable,
  verify: verifyBindings,
  record: (_prepared, document) => readAnswer(() => ({ 'tag-bindings': answeredBindings(document) })),
} satisfies OperationHandler;

export const upsertBindings: OperationHandler = { ...upsert, read: readSettingsAndBindings };
export const upsertProjectBindings: OperationHandler = { ...upsert, read: readProject };

/** The key/value tags in the document of a create or an update, which replace all existing ones. */
export function sentBindings(call: Call): BindingRule | undefined {
  const { relationships } = dataOf(call);
  const bindings = isRecord(relationships) ? relationships['tag-bindings'] : undefined;
  if (!isRecord(bindings) || !Array.isArray(bindings.data)) return undefined;
  return { exactly: bindingsOf(bindings.data.filter((item) => isRecord(item))) };
}

/** How the key/value tags of a resource differ from those that its create sends. */
export function bindingsNotAsSent(call: Call, found: ResourceObject): string[] {
  const sent = sentBindings(call);
  const own = bindingsFromDocument(found)?.own;
  if (sent === undefined || !('exactly' in sent) || own === undefined) return [];
  const { add, remove } = bindingDifference(sent.exactly, own);
  const differences = [...add.map((text) => `+${text}`), ...remove.map((text) => `-${text}`)];
  return differences.length === 0 ? [] : [`tag-bindings differ (${differences.join(' ')})`];
}

/** A reader that looks up a created resource with what its create sends. */
export function readerOfSent(call: Call, reader: ServiceReader): ServiceReader {
  return sentBindings(call) === undefined ? reader : includingBindings(reader);
}

function bindingsOf(items: readonly Readonly<Record<string, unknown>>[]): TagBindings {
  return Object.fromEntries(
    items.flatMap(({ attributes }) => {
      const { key, value } = isRecord(attributes) ? attributes : {};
      const given = typeof value === 'string' && value !== '' ? value : null;
      return typeof key === 'string' ? [[key, given]] : [];
    }),
  );
}

/** Compares the key/value tags in the document of a create or an update, if the answer includes them. */
export function compareBindings(address: string, call: Call, document: Document): Diagnostic[] {
  const rule = sentBindings(call);
  const answered = resourceOf(document);
  const own = answered?.included && bindingsFromDocument(answered)?.own;
  if (rule === undefined || !('exactly' in rule) || own === undefined) return [];
  return compareList(address, {
    path: 'tag-bindings',
    rule: { exactly: texts(rule.exactly) },
    answered: texts(own),
  });
}

/** The own key/value tags in the answer to a create or an update that sends some. */
export function shownBindings(call: Call, document: Document): Values {
  const answered = sentBindings(call) && resourceOf(document);
  const own = answered?.included && bindingsFromDocument(answered)?.own;
  return own ? { 'tag-bindings': own } : {};
}

function texts(bindings: TagBindings): string[] {
  return Object.entries(bindings).map(([key, value]) => bindingText(key, value));
}

function verifyBindings({ call, change }: PreparedCall, document: Document): Diagnostic[] {
  const answered = answeredBindings(document);
  return compareList(change.address, {
    path: 'tag-bindings',
    rule: { add: texts(bindingsOf(itemsOf(call))), remove: [] },
    answered: answered && texts(answered),
  });
}

function answeredBindings(document: Document): TagBindings | undefined {
  const items = wholeList(document);
  return items && bindingsOf(items.map(({ attributes }) => ({ attributes })));
}
