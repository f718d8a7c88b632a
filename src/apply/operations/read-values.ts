import { grantFromDocument } from '../../live/grant-document.ts';
import { includingBindings } from '../../live/included.ts';
import { projectFromDocument } from '../../live/project-document.ts';
import { readConsumerList } from '../../relations/relations.ts';
import { asResourceObject, resourceOf } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { presentFacts } from '../present-facts.ts';
import { readIfThere } from '../read-if-there.ts';
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

export const readProject: ReadValues = async ({ id }, { reader }) => {
  const project = resourceOf(await readIfThere(pathTo('showProject', { id }), includingBindings(reader)));
  return project && projectFromDocument(project).attributes;
};

export const readGrant: ReadValues = async ({ change, id }, { reader, dialect }) => {
  const document = await readIfThere(pathTo('showTeamProject', { id }), reader);
  const grant = asResourceObject(document?.data);
  return grant && grantFromDocument(grant, String(change.facts?.project), dialect).attributes;
};
