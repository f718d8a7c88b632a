import { isLocked, sameAttribute } from '../diff/normalize.ts';
import { retentionFromDocument } from '../live/workspace-details.ts';
import { isAttributePath, workspaceAttributes } from '../model/attributes.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { permissionPaths, permissions, permissionWireName } from '../model/permissions.ts';
import { isRecord, type Value } from '../model/value.ts';
import { asResourceObject, type Document, type ResourceObject, relatedId } from '../service/documents.ts';
import { attributesFromWire } from '../service/wire-codec.ts';
import { attributesOf } from './lost-answer.ts';
import type { PreparedCall } from './prepared-call.ts';
import { sentProject, sentRetention, writtenValues } from './written-values.ts';

/** A value as it was sent and as it was answered; `undefined` where the answer does not have it. */
type Pair = readonly [path: string, sent: Value | undefined, answered: Value | undefined];

/**
 * Compares the answer to a write with what was sent. Another value is an error: the change failed, although its call
 * succeeded. A value that the service does not return at all is a warning.
 */
export function verifyAnswer(
  prepared: PreparedCall,
  document: Document | undefined,
  dialect: Dialect,
): Diagnostic[] {
  if (document === undefined) return [];
  if (prepared.kind === 'tags' || prepared.kind === 'consumers')
    return verifyList(prepared, document, dialect);
  const answered = asResourceObject(document.data);
  if (answered === undefined) return [];
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
    ...namePair(call, answered),
  ];
}

function namePair(call: PreparedCall['call'], { attributes }: ResourceObject): Pair[] {
  const { name } = attributesOf(call);
  return typeof name === 'string' && typeof attributes.name === 'string'
    ? [['name', name, attributes.name]]
    : [];
}

/** A permission that is not returned has its default (interface, section 2.4), and is no other value than that. */
function grantPairs({ kind, call }: PreparedCall, answered: ResourceObject, dialect: Dialect): Pair[] {
  const sent = Object.entries(writtenValues(kind, call, dialect).values);
  return sent.map(([path, value]): Pair => {
    const permission = permissionPaths.find((known) => known === path);
    if (permission === undefined) return [path, value, answered.attributes[path] as Value | undefined];
    const group = answered.attributes[path.slice(0, path.indexOf('.'))];
    const got = isRecord(group) ? group[permissionWireName(permission, dialect)] : undefined;
    const isDefault = value === permissions[permission].customDefault;
    return [path, value, (got ?? (isDefault ? value : undefined)) as Value | undefined];
  });
}

/** Most services answer with 204. Some list what there is now, or return the workspace with its tags. */
function verifyList(
  { kind, call, change }: PreparedCall,
  document: Document,
  dialect: Dialect,
): Diagnostic[] {
  const written = writtenValues(kind, call, dialect);
  const [path, rule] =
    kind === 'tags' ? ['tags', written.tags] : ['remote-state-consumers', written.consumers];
  const answered = path === 'tags' ? answeredTags(document) : answeredIds(document);
  if (rule === undefined || answered === undefined) return [];
  const spelled = (entry: string) =>
    path === 'tags' && dialect === 'terraform' ? entry.toLowerCase() : entry;
  const now = new Set(answered.map(spelled));
  const wanted = 'exactly' in rule ? rule.exactly : rule.add;
  const lacks = wanted.map(spelled).filter((entry) => !now.has(entry));
  const keeps =
    'exactly' in rule
      ? [...now].filter((entry) => !rule.exactly.includes(entry))
      : rule.remove.map(spelled).filter((entry) => now.has(entry));
  if (lacks.length + keeps.length === 0) return [];
  const difference = [
    ...(lacks.length > 0 ? [`without ${lacks.join(', ')}`] : []),
    ...(keeps.length > 0 ? [`still with ${keeps.join(', ')}`] : []),
  ];
  return [
    {
      severity: 'error',
      code: 'not-taken',
      message: `${path} of ${change.address} were sent, and the service answers ${difference.join(' and ')}`,
      address: change.address,
      hint: differs,
    },
  ];
}

function answeredTags(document: Document): readonly string[] | undefined {
  const names = asResourceObject(document.data)?.attributes['tag-names'];
  if (isTexts(names)) return names;
  const listed = listedItems(document)?.map(({ attributes }) => attributes.name);
  return isTexts(listed) ? listed : undefined;
}

function answeredIds(document: Document): readonly string[] | undefined {
  return listedItems(document)?.map(({ id }) => id);
}

/** A list that is complete; a first page of several says nothing about the rest. */
function listedItems({ data, meta }: Document): readonly ResourceObject[] | undefined {
  if (!Array.isArray(data)) return undefined;
  const items = data.flatMap((item: unknown) => asResourceObject(item) ?? []);
  const pagination = isRecord(meta) ? meta.pagination : undefined;
  const total = isRecord(pagination) ? pagination['total-count'] : undefined;
  return items.length < data.length || (typeof total === 'number' && total > items.length)
    ? undefined
    : items;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

const differs =
  'declare the value that the service answers, or check why it does not accept the declared one';

function notTaken({ change }: PreparedCall, path: string, sent: Value, got: Value | undefined): Diagnostic {
  const isMissing = got === undefined;
  const answer = isMissing ? 'does not return it' : `answers ${shown(path, got)}`;
  const hint = isMissing
    ? 'remove the value from the configuration if the service does not support it'
    : path.startsWith('setting-overwrites.')
      ? `${differs}; if the service has no setting-overwrites, add it to service.without`
      : differs;
  return {
    severity: isMissing ? 'warning' : 'error',
    code: 'not-taken',
    message: `${path} of ${change.address} was sent as ${shown(path, sent)}, and the service ${answer}`,
    address: change.address,
    hint,
  };
}

function shown(path: string, value: Value): string {
  if (path === 'lock') return isLocked(value) ? 'locked' : 'unlocked';
  return JSON.stringify(value);
}
