import { grantFromDocument } from '../../live/grant-document.ts';
import { projectFromDocument } from '../../live/project-document.ts';
import { includingBindings } from '../../live/tag-bindings.ts';
import { readRetentionPolicy } from '../../relations/data-retention.ts';
import { readConsumerList } from '../../relations/remote-state-consumers.ts';
import { asResourceObject, resourceOf } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { presentFacts } from '../present-facts.ts';
import { isGone, readIfThere } from '../read-if-there.ts';
import type { ReadValues } from './operation.ts';

/** The values in the document of a workspace, without its key/value tags. */
export const readSettings: ReadValues = async ({ id }, { reader, dialect }) =>
  (await presentFacts(id, {}, { reader, dialect }))?.now;

/** The values in the document of a workspace, with its key/value tags. */
export const readSettingsAndBindings: ReadValues = async ({ id }, { reader, dialect }) =>
  (await presentFacts(id, {}, { reader, dialect, bindings: true }))?.now;

export const readConsumers: ReadValues = async ({ id }, { reader }) => ({
  'remote-state-consumers': (await readConsumerList(reader, id)).map((consumer) => consumer.id),
});

/** The service answers 404 for a workspace without an own policy, and for one that the token may not see. */
export const readRetention: ReadValues = async ({ id }, { reader }) => {
  const policy = await readRetentionPolicy(reader, id);
  if (policy === null && (await isGone(pathTo('showWorkspace', { workspace: id }), reader))) return undefined;
  return { 'data-retention': policy };
};

export const readProject: ReadValues = async ({ id }, { reader }) => {
  const project = resourceOf(await readIfThere(pathTo('showProject', { id }), includingBindings(reader)));
  return project && projectFromDocument(project).attributes;
};

export const readGrant: ReadValues = async ({ change, id }, { reader, dialect }) => {
  const document = await readIfThere(pathTo('showTeamProject', { id }), reader);
  const grant = asResourceObject(document?.data);
  return grant && grantFromDocument(grant, String(change.facts?.project), dialect).attributes;
};
