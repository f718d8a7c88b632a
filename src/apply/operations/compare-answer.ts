import { sameAttribute } from '../../diff/fields.ts';
import { bindingsFromDocument } from '../../live/included.ts';
import { isLost, isUnder } from '../../model/attributes.ts';
import { AttuneError, type Diagnostic, problem } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import {
  applyListRule,
  bindingTexts,
  type ListRule,
  listDifference,
  type TagBindings,
} from '../../model/list-rule.ts';
import type { Call } from '../../model/plan.ts';
import type { Value, Values } from '../../model/value.ts';
import { lockWord } from '../../relations/relations.ts';
import { type Document, type ResourceObject, resourceOf } from '../../service/documents.ts';
import type { OperationHandler, PreparedCall } from './operation.ts';

/** A value as it was sent and as the service returned it; `undefined` if the answer does not contain it. */
export type Pair = readonly [path: string, sent: Value | undefined, answered: Value | undefined];

const differs =
  'declare the value that the service returns, or check why it does not accept the declared one';

/**
 * Compares the values of an answer with the values sent. A different value is an error: the change failed, although its
 * call succeeded. A value that the service does not return is a warning, unless the next plan would refuse it.
 */
function compareValues(address: string, pairs: readonly Pair[], { attributes }: ResourceObject) {
  // An answer without any attribute does not show which ones the service offers.
  const isEmpty = Object.keys(attributes).length === 0;
  return pairs.flatMap(([path, sent, got]) => {
    if (sent === undefined || sameAttribute(path, sent, got)) return [];
    const isError = got !== undefined || (!isEmpty && isLost(path, sent));
    return notTaken([path, sent, got], { address, isError });
  });
}

function notTaken(
  [path, sent, got]: readonly [path: string, sent: Value, got: Value | undefined],
  { address, isError }: { readonly address: string; readonly isError: boolean },
): Diagnostic {
  const isMissing = got === undefined;
  const answer = isMissing ? 'did not return it' : `returned ${shown(path, got)}`;
  const isFlag = isUnder(path, 'setting-overwrites');
  const hint = !isMissing
    ? isFlag
      ? `add setting-overwrites to service.without if this service always returns ${shown(path, got)}, else ${differs}`
      : differs
    : isError
      ? `remove ${path}: this service does not offer it`
      : 'remove the value from the configuration if the service does not support it';
  return problem(
    'not-taken',
    `${path} of ${address} was sent as ${shown(path, sent)}, but the service ${answer}`,
    { severity: isError ? 'error' : 'warning', at: { address }, hint },
  );
}

function shown(path: string, value: Value): string {
  if (path === 'lock') return lockWord(value);
  return JSON.stringify(value);
}

/** Compares a list that was sent with the returned list. Most services answer with 204. */
export function compareList(
  address: string,
  path: string,
  rule: ListRule,
  answered: readonly string[] | undefined,
): Diagnostic[] {
  if (answered === undefined) return [];
  const { add: lacks, remove: keeps } = listDifference(answered, applyListRule(rule, answered));
  if (lacks.length + keeps.length === 0) return [];
  const difference = [
    lacks.length > 0 ? `without ${lacks.join(', ')}` : [],
    keeps.length > 0 ? `still with ${keeps.join(', ')}` : [],
  ].flat();
  return [
    problem(
      'not-taken',
      `${path} of ${address} were sent, but the service returned ${difference.join(' and ')}`,
      { at: { address }, hint: differs },
    ),
  ];
}

function requireResource(document: Document): ResourceObject {
  const answered = resourceOf(document);
  if (answered) return answered;
  throw new AttuneError('its data is not a resource with an id');
}

export function answeredValue(
  path: string,
  read: (answered: ResourceObject, call: Call) => Value | undefined,
) {
  return answeredResource(({ call, written }, answered) => [
    [path, written.values[path], read(answered, call)],
  ]);
}

/** Values of an answer for the journal; none if it cannot be read, which is reported when the answer is verified. */
export function readAnswer(read: () => Readonly<Record<string, Value | undefined>>): { answered?: Values } {
  try {
    const shown = Object.entries(read()).flatMap(([path, value]) =>
      value === undefined ? [] : [[path, value] as const],
    );
    return shown.length === 0 ? {} : { answered: Object.fromEntries(shown) };
  } catch (error) {
    if (error instanceof AttuneError) return {};
    throw error;
  }
}

type Sent = Pick<PreparedCall, 'call' | 'written' | 'change'>;

/**
 * An answer with the document of a resource, which can have its key/value tags.
 *
 * @param pairsOf the values that are compared with what was sent
 * @param shownOf the values that the journal records
 */
export function answeredResource(
  pairsOf: (sent: Sent, answered: ResourceObject, dialect: Dialect) => readonly Pair[],
  shownOf: (
    sent: Sent,
    answered: ResourceObject,
    dialect: Dialect,
  ) => readonly (readonly [path: string, value: Value | undefined])[] = (...asked) =>
    pairsOf(...asked).map(([path, , value]) => [path, value]),
): Required<Pick<OperationHandler, 'verify' | 'record'>> {
  return {
    verify(prepared, document, dialect) {
      const answered = requireResource(document);
      const { written, change } = prepared;
      const differing = compareValues(change.address, pairsOf(prepared, answered, dialect), answered);
      const own = ownBindings(answered);
      if (!own || !written.bindings || !('exactly' in written.bindings)) return differing;
      const exactly = bindingTexts(written.bindings.exactly);
      return [...differing, ...compareList(change.address, 'tag-bindings', { exactly }, bindingTexts(own))];
    },
    record: (prepared, document, dialect) =>
      readAnswer(() => {
        const answered = requireResource(document);
        const own = prepared.written.bindings && ownBindings(answered);
        return { ...Object.fromEntries(shownOf(prepared, answered, dialect)), 'tag-bindings': own };
      }),
  };
}

function ownBindings(answered: ResourceObject): TagBindings | undefined {
  return answered.included && bindingsFromDocument(answered)?.own;
}
