import { bindingsFromDocument, includingBindings } from '../../live/included.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { bindingDifference, bindingTexts, type TagBindings } from '../../model/list-rule.ts';
import type { Written } from '../../model/plan.ts';
import { signedEntries } from '../../model/text.ts';
import type { Values } from '../../model/value.ts';
import { bindingsIn } from '../../service/call-codec.ts';
import type { ServiceReader } from '../../service/client.ts';
import { type Document, type ResourceObject, resourceOf } from '../../service/documents.ts';
import { readProject, readSettings } from '../present-values.ts';
import { compareList, readAnswer, wholeList } from './compare-answer.ts';
import { type OperationHandler, type PreparedCall, sendRepeatable } from './operation.ts';

/** Adds and overwrites key/value tags by key, and removes none. */
const upsert = {
  send: sendRepeatable,
  verify: verifyBindings,
  record: (_prepared, document) => readAnswer(() => ({ 'tag-bindings': answeredBindings(document) })),
} satisfies OperationHandler;

export const upsertBindings: OperationHandler = { ...upsert, read: readSettings };
export const upsertProjectBindings: OperationHandler = { ...upsert, read: readProject };

export function bindingsNotAsSent({ bindings: sent }: Written, found: ResourceObject): string[] {
  const own = bindingsFromDocument(found)?.own;
  if (sent === undefined || !('exactly' in sent) || own === undefined) return [];
  const { add, remove } = bindingDifference(sent.exactly, own);
  const differences = signedEntries(add, remove);
  return differences.length === 0 ? [] : [`tag-bindings differ (${differences.join(' ')})`];
}

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
