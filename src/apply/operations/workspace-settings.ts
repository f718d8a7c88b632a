import { separateSchedule, workspaceFromDocument } from '../../live/workspace-document.ts';
import { isAttributePath, workspaceAttributes } from '../../model/attributes.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Value, Values } from '../../model/value.ts';
import { asResourceObject, type ResourceObject, relatedId, resourceOf } from '../../service/documents.ts';
import { attributesFromWire } from '../../service/wire-codec.ts';
import { compareValues, type Pair, readAnswer } from './compare-answer.ts';
import type { OperationHandler } from './operation.ts';
import { compareBindings, shownBindings } from './tag-bindings.ts';

/** Shared by the creation and the update of a workspace: one document with its attributes and its project. */
export const workspaceSettings: Required<Pick<OperationHandler, 'verify' | 'record'>> = {
  verify({ written, change }, document, dialect) {
    const answered = asResourceObject(document.data);
    if (!answered) return [];
    const settings = compareValues(change.address, settingPairs(written.values, answered, dialect));
    return [...settings, ...compareBindings(change.address, written, document)];
  },
  /** The service may normalize other values than the ones sent, so the journal records the answer. */
  record({ written, change }, document, dialect) {
    const resource = resourceOf(document);
    if (!resource) return {};
    return readAnswer(() => {
      const live = answeredSettings(resource, dialect);
      const paths = [
        ...Object.keys(written.values),
        ...Object.keys(change.facts ?? {}).filter(isAttributePath),
      ];
      return {
        ...Object.fromEntries(paths.map((path) => [path, live[path]])),
        ...shownBindings(written, document),
      };
    });
  },
};

/** The values of a workspace in an answer, under neutral names. */
export function answeredSettings(resource: ResourceObject, dialect: Dialect): Values {
  const { name, attributes } = workspaceFromDocument(resource, dialect);
  return { ...attributes, name };
}

function settingPairs(sent: Values, answered: ResourceObject, dialect: Dialect): Pair[] {
  const got = attributesFromWire(answered.attributes, dialect, answered.id);
  separateSchedule(got, answered.attributes);
  const pool = relatedId(answered, 'agent-pool');
  if (pool !== undefined) got['agent-pool-id'] = pool;
  if (got.operations === undefined && got['execution-mode'] !== undefined) {
    got.operations = got['execution-mode'] !== 'local';
  }
  const { name, 'vcs-repo': repository } = answered.attributes;
  const movedTo = relatedId(answered, 'project');
  return [
    ...Object.entries(sent)
      // A create-only attribute is never compared again.
      .filter(([path]) => isAttributePath(path) && workspaceAttributes[path].createOnly !== true)
      // An answer without attributes cannot be compared.
      .filter(() => Object.keys(answered.attributes).length > 0)
      .map(([path, value]): Pair => [path, value, got[path]]),
    ...(sent.project && movedTo ? [['project', sent.project, movedTo] as const] : []),
    ...(sent['vcs-repo'] === null && repository !== undefined
      ? [['vcs-repo', null, repository as Value] as const]
      : []),
    ...(sent.name !== undefined && typeof name === 'string' ? [['name', sent.name, name] as const] : []),
  ];
}
