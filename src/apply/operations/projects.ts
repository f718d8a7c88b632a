import { projectFromDocument } from '../../live/from-document.ts';
import type { AttuneError } from '../../model/attune-error.ts';
import type { Values } from '../../model/value.ts';
import type { Document } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { projectsOf, readList } from '../../service/paging.ts';
import { changesSince, requireUnchanged } from '../changed-since-plan.ts';
import { isTaken, nameConflict, nameTaken } from '../name-conflict.ts';
import { readProject } from '../present-values.ts';
import { createdId } from './create-workspace.ts';
import { deleteOnce } from './delete-workspace.ts';
import {
  type OperationHandler,
  type PreparedCall,
  pickFacts,
  recheckFacts,
  type SendContext,
  sendRepeatable,
} from './operation.ts';
import { answeredResource, readerOfSent } from './tags.ts';

const projectValues = answeredResource(
  (sent, answered) => {
    if (Object.keys(answered.attributes).length === 0) return [];
    const { attributes }: { attributes: Values } = projectFromDocument(answered);
    return Object.entries(sent).map(([path, value]) => [path, value, attributes[path]]);
  },
  ({ written }, answered) => {
    const { attributes }: { attributes: Values } = projectFromDocument(answered);
    return Object.keys(written.values).map((path) => [path, attributes[path]]);
  },
);

const createProject: OperationHandler = {
  ...projectValues,
  async send(prepared, context) {
    const { call, change } = prepared;
    const lookUp = () => createdProject(prepared, context);
    try {
      const readCreated = async () => (await lookUp())?.document;
      const document = await context.send(call, { lookUp, readCreated });
      context.ids.set(change.address, createdId(change.address, document?.data));
      return document;
    } catch (error) {
      throw isTaken(error) ? nameTaken(error, 'project') : error;
    }
  },
};

const updateProject: OperationHandler = {
  ...projectValues,
  /** A replacement would remove key/value tags that other users added since the plan. */
  async recheck(prepared, context) {
    if (prepared.written.bindings === undefined) return;
    const facts = pickFacts(prepared.change.facts ?? {}, ['tag-bindings']);
    await recheckFacts(prepared, context, { facts, read: () => readProject(prepared, context) });
  },
  send: sendRepeatable,
  read: readProject,
};

/** A project that was renamed or tagged since the plan may have another meaning for its users. */
const deleteProject: OperationHandler = {
  async send(prepared, context) {
    const { call, change, id } = prepared;
    const { keep } = context;
    const { exists: _exists, ...facts } = change.facts ?? {};
    const live = await readProject(prepared, context);
    if (live) requireUnchanged(change, changesSince(facts, live));
    if (live && keep) await keep(live);
    return deleteOnce(call, pathTo('showProject', { id }), context);
  },
};

export const projectOperations = { createProject, updateProject, deleteProject };

async function createdProject(
  prepared: PreparedCall,
  { reader, organization }: SendContext,
): Promise<{ document: Document; failure?: never } | { failure: AttuneError; document?: never } | undefined> {
  const name = String(prepared.written.values.name);
  const projects = await readList(readerOfSent(prepared.written, reader), projectsOf(organization));
  const found = projects.find(({ attributes }) => isNamed(attributes.name, name));
  if (!found) return undefined;
  const failure = nameConflict(prepared, found, projectFromDocument(found));
  return failure ? { failure } : { document: { data: found } };
}

function isNamed(given: unknown, name: string): boolean {
  return typeof given === 'string' && given.toLowerCase() === name.toLowerCase();
}
