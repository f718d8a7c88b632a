import { sameAttribute } from '../../diff/normalize.ts';
import { workspaceAttributes } from '../../model/attribute-table.ts';
import { isAttributePath, sharedWith, sharingSwitchOf } from '../../model/attributes.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { warning } from '../../model/diagnostic.ts';
import { asBindings } from '../../model/list-rule.ts';
import { membersOf, type PlannedChange } from '../../model/plan.ts';
import { sameValue } from '../../model/value.ts';
import { callTo } from '../../plan/operation-endpoints.ts';
import { asResourceObject, type Document, resourceOf } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { isTaken, nameConflict, nameTaken } from '../name-conflict.ts';
import { presentFacts, readIfThere } from '../present-values.ts';
import type { OperationHandler, PreparedCall, SendContext } from './operation.ts';
import { readerOfSent } from './tag-bindings.ts';
import { updateWorkspace } from './update-workspace.ts';
import { workspaceSettings } from './workspace-settings.ts';
import { addTags } from './workspace-tags.ts';

export const createWorkspace: OperationHandler = {
  ...workspaceSettings,
  async send(prepared, context) {
    const { change, written } = prepared;
    const { tags: sent } = written;
    const tags = (sent && 'add' in sent ? sent.add : []).map((tag) => tag.toLowerCase());
    const recovered = context.ids.get(change.address);
    if (recovered !== undefined) return restore({ ...prepared, id: recovered }, tags, context);
    // The first use of a tag is sent alone: see {@link FirstUses}.
    const document = await context.firstUses.use(tags, () => create(prepared, context));
    const id = createdId(`"${change.name}"`, document?.data);
    context.ids.set(change.address, id);
    // Tags in a create are undocumented, so tags that the answer does not confirm are added with one more call.
    const confirmed = asResourceObject(document?.data)?.attributes['tag-names'];
    await addMissingTags(tags, confirmed, { ...prepared, id }, context);
    checkNewSharing(change, document?.data, context);
    return document;
  },
  record(prepared, document, dialect) {
    const answered = asResourceObject(document.data);
    if (!answered) return {};
    const { answered: values } = workspaceSettings.record(prepared, document, dialect);
    const tags = prepared.written.tags && answered.attributes['tag-names'];
    return { answered: { ...values, ...(Array.isArray(tags) && { tags: tags.map(String) }) } };
  },
};

/** Updates a recovered workspace if it differs from what a creation would send. */
async function restore(
  prepared: PreparedCall,
  tags: readonly string[],
  context: SendContext,
): Promise<Document | undefined> {
  const { id, written } = prepared;
  const { reader, dialect } = context;
  const bindings = written.bindings !== undefined;
  const now = (await presentFacts(id, {}, { reader, dialect, bindings }))?.now ?? {};
  await addMissingTags(tags, now.tags, prepared, context);
  const sent = Object.entries(written.values).filter(
    ([path]) => !isAttributePath(path) || workspaceAttributes[path].createOnly !== true,
  );
  const differs = sent.some(
    ([path, value]) => now[path] !== undefined && !sameAttribute(path, value, now[path]),
  );
  const { bindings: rule } = written;
  const rebinds =
    rule !== undefined &&
    'exactly' in rule &&
    !sameValue(asBindings(now['tag-bindings']) ?? {}, rule.exactly);
  if (!differs && !rebinds) return undefined;
  const restored = { values: Object.fromEntries(sent), ...(rebinds && { bindings: rule }) };
  const call = callTo('updateWorkspace', { workspace: id }, restored, dialect);
  return updateWorkspace.send({ ...prepared, call, written: restored }, context);
}

/** Adds the tags that the workspace does not have, if any. */
async function addMissingTags(
  tags: readonly string[],
  present: unknown,
  prepared: PreparedCall,
  context: SendContext,
): Promise<void> {
  const has = new Set(Array.isArray(present) ? present.map((tag) => String(tag).toLowerCase()) : []);
  const add = tags.filter((tag) => !has.has(tag));
  if (add.length === 0) return;
  const written = { values: {}, tags: { add, remove: [] } };
  const call = callTo('addTags', { workspace: prepared.id }, written, context.dialect);
  await addTags.send({ ...prepared, call, written }, context);
}

/** Creates a workspace once, and resolves with its document. */
async function create({ call, written }: PreparedCall, context: SendContext): Promise<Document | undefined> {
  const { send, reader, organization, dialect } = context;
  // The plan found no workspace with this name.
  const name = String(written.values.name);
  const asking = readerOfSent(written, reader);
  const read = () => readIfThere(pathTo('showWorkspaceByName', { organization, name }), asking);
  const lookUp = async () => {
    const document = await read();
    const found = resourceOf(document);
    const failure = found && nameConflict({ call, written }, found, dialect);
    return failure ? { failure } : document && { document };
  };
  try {
    return await send(call, { lookUp, readCreated: read });
  } catch (error) {
    throw isTaken(error) ? nameTaken(error, 'workspace') : error;
  }
}

/** The id for the calls that follow. */
export function createdId(shown: string, data: unknown): string {
  const created = asResourceObject(data);
  if (created) return created.id;
  throw new AttuneError(`cannot continue with ${shown}: the service created it but did not return its id`, {
    hint: 'run again',
  });
}

/**
 * Some services share the state of new workspaces with all by default. It is a risk of the result. A declared list could
 * then not be written, or would be an error in every later plan.
 */
function checkNewSharing(
  { name, address, fields }: PlannedChange,
  data: unknown,
  { notice, readersGained }: SendContext,
): void {
  const declares = (path: string) => fields.some((field) => field.path === path);
  const shared = sharingSwitchOf(asResourceObject(data)?.attributes ?? {});
  if (shared === undefined || declares(shared)) return;
  const project = fields.find(({ path }) => path === 'project')?.after;
  const isAll = shared === 'global-remote-state' || typeof project !== 'string';
  readersGained({ workspace: name, gains: [isAll ? '*' : membersOf(project)], loses: [] });
  notice(
    warning(
      'shared-by-default',
      `the service shares the state of the new workspace "${name}" with ${sharedWith[shared]}, and no file declares it`,
      { at: { address }, hint: `declare \`${shared}: false\`, or \`true\` if it is intended` },
    ),
  );
  if (shared !== 'global-remote-state' || !declares('remote-state-consumers')) return;
  throw new AttuneError(
    `"${name}" declares consumers, but this service shares the state of new workspaces with all: the workspace was created without its consumers`,
    { code: 'consumers-with-global', hint: 'add `global-remote-state: false`' },
  );
}
