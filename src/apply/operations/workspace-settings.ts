import { separateSchedule, workspaceFromDocument } from '../../live/workspace-document.ts';
import { isAttributePath, workspaceAttributes } from '../../model/attributes.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Call } from '../../model/plan.ts';
import { isRecord, type Value, type Values } from '../../model/value.ts';
import { asResourceObject, type ResourceObject, relatedId, resourceOf } from '../../service/documents.ts';
import { attributesFromWire } from '../../service/wire-codec.ts';
import { compareValues, type Pair, readAnswer } from './compare-answer.ts';
import type { OperationHandler } from './operation.ts';
import { attributesOf, dataOf } from './request-body.ts';
import { compareBindings, sentBindings, shownBindings } from './tag-bindings.ts';

/** Shared by the creation and the update of a workspace: one document with its attributes and its project. */
export const workspaceSettings: Required<Pick<OperationHandler, 'writes' | 'verify' | 'record'>> = {
  writes(call, dialect) {
    const bindings = sentBindings(call);
    return { values: sentSettings(call, dialect), ...(bindings && { bindings }) };
  },
  verify({ call, change }, document, dialect) {
    const answered = asResourceObject(document.data);
    if (!answered) return [];
    const settings = compareValues(change.address, settingPairs(call, answered, dialect));
    return [...settings, ...compareBindings(change.address, call, document)];
  },
  /** The service may normalize other values than the ones sent, so the journal records the answer. */
  record({ call, change }, document, dialect) {
    const resource = resourceOf(document);
    if (!resource) return {};
    return readAnswer(() => {
      const live = answeredSettings(resource, dialect);
      const paths = [
        ...Object.keys(sentSettings(call, dialect)),
        ...Object.keys(change.facts ?? {}).filter(isAttributePath),
      ];
      return {
        ...Object.fromEntries(paths.map((path) => [path, live[path]])),
        ...shownBindings(call, document),
      };
    });
  },
};

/** The values that a creation or an update of a workspace sends, under neutral names. */
export function sentSettings(call: Call, dialect: Dialect): Values {
  const wire = attributesOf(call);
  const project = sentProject(call);
  return {
    ...attributesFromWire(wire, dialect, 'sent'),
    ...(typeof wire.name === 'string' && { name: wire.name }),
    ...(wire['vcs-repo'] === null && { 'vcs-repo': null }),
    ...(project && { project }),
  };
}

/** The values of a workspace in an answer, under neutral names. */
export function answeredSettings(resource: ResourceObject, dialect: Dialect): Values {
  const { name, attributes } = workspaceFromDocument(resource, dialect);
  return { ...attributes, name };
}

function settingPairs(call: Call, answered: ResourceObject, dialect: Dialect): Pair[] {
  const sent = attributesFromWire(attributesOf(call), dialect, answered.id);
  const got = attributesFromWire(answered.attributes, dialect, answered.id);
  separateSchedule(got, answered.attributes);
  const pool = relatedId(answered, 'agent-pool');
  if (pool !== undefined) got['agent-pool-id'] = pool;
  if (got.operations === undefined && got['execution-mode'] !== undefined) {
    got.operations = got['execution-mode'] !== 'local';
  }
  const project = sentProject(call);
  const movedTo = relatedId(answered, 'project');
  return [
    ...Object.entries(sent)
      // A create-only attribute is never compared again.
      .filter(([path]) => !isAttributePath(path) || workspaceAttributes[path].createOnly !== true)
      // An answer without attributes cannot be compared.
      .filter(() => Object.keys(answered.attributes).length > 0)
      .map(([path, value]): Pair => [path, value, got[path]]),
    ...(project && movedTo ? [['project', project, movedTo] as const] : []),
    ...detachedPair(call, answered),
    ...namePair(call, answered),
  ];
}

function detachedPair(call: Call, { attributes }: ResourceObject): Pair[] {
  const repository = attributes['vcs-repo'];
  return attributesOf(call)['vcs-repo'] === null && repository !== undefined
    ? [['vcs-repo', null, repository as Value]]
    : [];
}

function namePair(call: Call, { attributes }: ResourceObject): Pair[] {
  const { name } = attributesOf(call);
  return typeof name === 'string' && typeof attributes.name === 'string'
    ? [['name', name, attributes.name]]
    : [];
}

function sentProject(call: Call): string | null | undefined {
  const { relationships } = dataOf(call);
  return relatedId({ relationships: isRecord(relationships) ? relationships : {} }, 'project');
}
