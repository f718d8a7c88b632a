import { sameAttribute } from '../../diff/fields.ts';
import { workspaceAttributes } from '../../model/attribute-table.ts';
import { isAttributePath, sharedWith, sharingSwitchOf } from '../../model/attributes.ts';
import { createdEmpty } from '../../model/change.ts';
import { AttuneError, warning } from '../../model/diagnostic.ts';
import { asBindings } from '../../model/list-rule.ts';
import { membersOf, type PlannedChange } from '../../model/plan.ts';
import { sameValue } from '../../model/value.ts';
import { callTo } from '../../plan/operation-endpoints.ts';
import { asResourceObject, type Document, resourceOf } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { hasDetail, ServiceError, withHint } from '../../service/service-error.ts';
import { isTaken, nameConflict, nameTaken } from '../name-conflict.ts';
import { presentFacts, readerOfSent, readIfThere } from '../present-values.ts';
import { readAnswer } from './compare-answer.ts';
import { listOperations } from './lists.ts';
import { alreadyDone, type OperationHandler, type PreparedCall, type SendContext } from './operation.ts';
import { answeredSettings, settingOperations, workspaceSettings } from './workspace-settings.ts';

const createWorkspace: OperationHandler = {
  ...workspaceSettings,
  async send(prepared, context) {
    const { change, written } = prepared;
    const { tags: sent } = written;
    const tags = (sent && 'add' in sent ? sent.add : []).map((tag) => tag.toLowerCase());
    const recovered = context.ids.get(change.address);
    if (recovered !== undefined) return restore({ ...prepared, id: recovered }, tags, context);
    const document = await create(prepared, context);
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

async function restore(prepared: PreparedCall, tags: readonly string[], context: SendContext) {
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
  const restored = { values: Object.fromEntries(sent), bindings: rebinds ? rule : undefined };
  const call = callTo('updateWorkspace', { workspace: id }, restored, dialect);
  return settingOperations.updateWorkspace.send({ ...prepared, call, written: restored }, context);
}

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
  await listOperations.addTags.send({ ...prepared, call, written }, context);
}

async function create({ call, written }: PreparedCall, context: SendContext): Promise<Document | undefined> {
  const { send, reader, organization, dialect } = context;
  // The plan found no workspace with this name.
  const name = String(written.values.name);
  const asking = readerOfSent(written, reader);
  const read = () => readIfThere(pathTo('showWorkspaceByName', { organization, name }), asking);
  const lookUp = async () => {
    const document = await read();
    const found = resourceOf(document);
    const live = found && ({ kind: 'workspace', attributes: answeredSettings(found, dialect) } as const);
    const failure = live && nameConflict({ call, written }, found, live);
    return failure ? { failure } : document && { document };
  };
  try {
    return await send(call, { lookUp, readCreated: read });
  } catch (error) {
    throw isTaken(error) ? nameTaken(error, 'workspace') : error;
  }
}

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

/** The published refusals after which the workspace is created again, by their texts. */
const recoveryRefusals: readonly (readonly [text: RegExp, why: string])[] = [
  [/has expired/i, 'it has expired'],
  [/permanently deleted/i, 'it was permanently deleted'],
  [/already been recovered/i, 'it was already recovered'],
];

const recordedRelations = new Set(['name', 'project', 'tags']);

/** Recovers a deleted workspace with its id, history and state. The call after it restores its settings, or creates it. */
const recoverWorkspace: OperationHandler = {
  async send({ call, change }, { reader, send, ids, notice }) {
    const path = pathTo('showWorkspace', { workspace: call.recovers ?? '' });
    const read = () => readIfThere(path, reader);
    const lookUp = async () => {
      const document = await read();
      return document && { document };
    };
    const recovered = await send(call, { lookUp, readCreated: read }).catch(async (error: unknown) => {
      const why = recoveryRefusals.find(([text]) => isRecoveryRefused(error, text))?.[1];
      if (why === undefined) throw withRecoveryHint(error);
      // Another user may have recovered it after the plan.
      const present = await read();
      if (present) {
        notice(alreadyDone(change, 'recovered'));
        return present;
      }
      notice(
        warning('not-recovered', `${change.address} is not recovered: ${why}; ${createdEmpty}`, {
          at: { address: change.address },
        }),
      );
      return undefined;
    });
    const found = asResourceObject(recovered?.data);
    if (found === undefined) return recovered;
    if (found.attributes.name !== change.name) {
      throw new AttuneError(
        `the recovered workspace is called ${JSON.stringify(found.attributes.name)}, and not ${JSON.stringify(change.name)}`,
      );
    }
    ids.set(change.address, found.id);
    return recovered;
  },
  /** An undo of the undo deletes the workspace only if it still is as it was recovered. */
  record(_prepared, document, dialect) {
    const resource = resourceOf(document);
    if (!resource) return {};
    return readAnswer(() => {
      const settings = Object.entries(answeredSettings(resource, dialect));
      return Object.fromEntries(
        settings.filter(([path]) => isAttributePath(path) || recordedRelations.has(path)),
      );
    });
  },
};

export const creationOperations = { createWorkspace, recoverWorkspace };

function isRecoveryRefused(error: unknown, text: RegExp): boolean {
  return error instanceof ServiceError && error.status === 422 && hasDetail(error, text);
}

function withRecoveryHint(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  if (isRecoveryRefused(error, /recovery failed/i)) {
    const hint = 'check that its project exists and that no other workspace has its name, then run again';
    return withHint(error, hint);
  }
  if (error.status !== 403 && error.status !== 404) return error;
  return withHint(error, 'use a token that may manage recoverable items');
}
