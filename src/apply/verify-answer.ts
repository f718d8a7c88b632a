import { isLocked, sameAttribute } from '../diff/same-value.ts';
import { grantFromDocument } from '../live/grant-document.ts';
import { retentionFromDocument } from '../live/retention-document.ts';
import { attributesFromWire } from '../live/workspace-document.ts';
import { isAttributePath, workspaceAttributes } from '../model/attributes.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Value } from '../model/value.ts';
import { asResourceObject, type Document, type ResourceObject, relatedId } from '../service/documents.ts';
import { attributesOf } from './lost-answer.ts';
import type { PreparedCall } from './prepared-call.ts';
import { sentProject, sentRetention, writtenValues } from './written-values.ts';

/** A value as it was sent and as it was answered; `undefined` where the answer does not have it. */
type Pair = readonly [path: string, sent: Value | undefined, answered: Value | undefined];

/**
 * Compares the document that a write returned with what was sent. A value that the service did not take would come
 * back as a difference for ever: it is reported once, here, with its reason.
 */
export function verifyAnswer(
  prepared: PreparedCall,
  document: Document | undefined,
  dialect: Dialect,
): Diagnostic[] {
  const answered = asResourceObject(document?.data);
  if (document === undefined || answered === undefined) return [];
  return pairsOf(prepared, { document, answered, dialect }).flatMap(([path, sent, got]) =>
    sent === undefined || sameAttribute(path, sent, got) ? [] : [notTaken(prepared, path, sent, got)],
  );
}

interface Answer {
  readonly document: Document;
  readonly answered: ResourceObject;
  readonly dialect: Dialect;
}

function pairsOf(prepared: PreparedCall, { document, answered, dialect }: Answer): readonly Pair[] {
  const { kind, call } = prepared;
  switch (kind) {
    case 'create-workspace':
    case 'update-workspace':
      return workspacePairs(call, answered, dialect);
    case 'create-grant':
    case 'update-grant':
      return grantPairs(prepared, answered, dialect);
    case 'ssh-key': {
      const key = relatedId(answered, 'ssh-key');
      return key === undefined ? [] : [['ssh-key', (attributesOf(call).id ?? null) as Value, key]];
    }
    case 'lock':
    case 'unlock': {
      const { locked } = answered.attributes;
      return typeof locked === 'boolean' ? [['lock', { locked: kind === 'lock' }, { locked }]] : [];
    }
    case 'data-retention':
      return call.method === 'POST'
        ? [['data-retention', sentRetention(call), retentionFromDocument(document, call.path)]]
        : [];
    case 'tags':
    case 'consumers':
    case 'delete-grant':
    case 'delete-workspace':
      return [];
    default:
      return kind satisfies never;
  }
}

function workspacePairs(call: PreparedCall['call'], answered: ResourceObject, dialect: Dialect): Pair[] {
  const sent = attributesFromWire(attributesOf(call), dialect, answered.id);
  const got = attributesFromWire(answered.attributes, dialect, answered.id);
  const pool = relatedId(answered, 'agent-pool');
  if (pool !== undefined) got['agent-pool-id'] = pool;
  if (got.operations === undefined && got['execution-mode'] !== undefined) {
    got.operations = got['execution-mode'] !== 'local';
  }
  const project = sentProject(call);
  const movedTo = relatedId(answered, 'project');
  return [
    ...Object.entries(sent)
      // What is set on create only is never compared again.
      .filter(([path]) => !isAttributePath(path) || workspaceAttributes[path].createOnly !== true)
      // An answer without any attribute tells nothing, and says nothing about this one.
      .filter(() => Object.keys(answered.attributes).length > 0)
      .map(([path, value]): Pair => [path, value, got[path]]),
    ...(project && movedTo ? [['project', project, movedTo] as const] : []),
  ];
}

function grantPairs({ kind, call }: PreparedCall, answered: ResourceObject, dialect: Dialect): Pair[] {
  const got = grantFromDocument(answered, '', dialect).attributes;
  const sent = Object.entries(writtenValues(kind, call, dialect).values);
  return sent.map(([path, value]): Pair => [path, value, got[path]]);
}

function notTaken({ change }: PreparedCall, path: string, sent: Value, got: Value | undefined): Diagnostic {
  const answer = got === undefined ? 'does not return it' : `answers ${shown(path, got)}`;
  return {
    severity: 'warning',
    code: 'not-taken',
    message: `${path} of ${change.address} was sent as ${shown(path, sent)}, and the service ${answer}`,
    address: change.address,
    hint: 'the service changed or ignored the value; declare what it answers, or the difference comes back',
  };
}

function shown(path: string, value: Value): string {
  if (path === 'lock') return isLocked(value) ? 'locked' : 'unlocked';
  return JSON.stringify(value);
}
