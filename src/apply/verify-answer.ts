import { sameAttribute } from '../diff/same-value.ts';
import { grantFromDocument } from '../live/grant-document.ts';
import { attributesFromWire } from '../live/workspace-document.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { permissionPaths, permissionWireName } from '../model/permissions.ts';
import { isRecord, type Value } from '../model/value.ts';
import { asResourceObject, type Document, relatedId } from '../service/documents.ts';
import { attributesOf, dataOf } from './lost-answer.ts';
import type { PreparedCall } from './send-call.ts';

/**
 * Compares the document that a write returned with what was sent. A value that the service did not take would come
 * back as a difference for ever: it is reported once, here, with its reason.
 */
export function verifyAnswer(
  { kind, call, change }: PreparedCall,
  document: Document | undefined,
  dialect: Dialect,
): Diagnostic[] {
  const answered = asResourceObject(document?.data);
  if (answered === undefined) return [];
  let pairs: (readonly [path: string, sent: Value | undefined, answered: Value | undefined])[] = [];
  if (kind === 'create-workspace' || kind === 'update-workspace') {
    const sent = attributesFromWire(attributesOf(call), dialect, answered.id);
    const got = attributesFromWire(answered.attributes, dialect, answered.id);
    const pool = relatedId(answered, 'agent-pool');
    if (pool !== undefined) got['agent-pool-id'] = pool;
    pairs = Object.keys(sent).map((path) => [path, sent[path], got[path]]);
    const project = relatedId(
      { id: '', type: '', attributes: {}, relationships: relationshipsOf(call) },
      'project',
    );
    if (project) pairs.push(['project', project, relatedId(answered, 'project') ?? undefined]);
  } else if (kind === 'create-grant' || kind === 'update-grant') {
    const sent = attributesOf(call);
    const got = grantFromDocument(answered, '', dialect).attributes;
    pairs = [['access', sent.access as Value, got.access], ...permissionPairs(sent, got, dialect)];
  }
  return pairs.flatMap(([path, sent, got]): Diagnostic[] =>
    sent === undefined || got === undefined || sameAttribute(path, sent, got)
      ? []
      : [
          {
            severity: 'warning',
            code: 'not-taken',
            message: `${path} was sent as ${JSON.stringify(sent)}, and the service answers ${JSON.stringify(got)}`,
            address: change.address,
            hint: 'the service changed or ignored the value; declare what it answers, or the difference comes back',
          },
        ],
  );
}

function permissionPairs(
  sent: Readonly<Record<string, unknown>>,
  got: Readonly<Record<string, Value>>,
  dialect: Dialect,
): (readonly [string, Value | undefined, Value | undefined])[] {
  return permissionPaths.map((path) => {
    const group = sent[path.slice(0, path.indexOf('.'))];
    const value = isRecord(group)
      ? (group[permissionWireName(path, dialect)] as Value | undefined)
      : undefined;
    return [path, value, got[path]] as const;
  });
}

function relationshipsOf(call: PreparedCall['call']): Readonly<Record<string, unknown>> {
  const { relationships } = dataOf(call);
  return isRecord(relationships) ? relationships : {};
}
