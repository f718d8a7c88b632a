import { isAttributePath } from '../../model/attributes.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { warning } from '../../model/diagnostic.ts';
import { asResourceObject, resourceOf } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { hasDetail, ServiceError, withHint } from '../../service/service-error.ts';
import { readIfThere } from '../present-values.ts';
import { readAnswer } from './compare-answer.ts';
import type { OperationHandler } from './operation.ts';
import { answeredSettings } from './workspace-settings.ts';

/** The published refusals after which the workspace is created again, by their texts. */
const refusals: readonly (readonly [text: RegExp, why: string])[] = [
  [/has expired/i, 'it has expired'],
  [/permanently deleted/i, 'it was permanently deleted'],
  [/already been recovered/i, 'it was already recovered'],
];

const recorded = new Set(['name', 'project', 'tags']);

/** Recovers a deleted workspace with its id, history and state. The call after it restores its settings, or creates it. */
export const recoverWorkspace: OperationHandler = {
  async send({ call, change }, { reader, send, ids, notice }) {
    const path = pathTo('showWorkspace', { workspace: call.recovers ?? '' });
    const read = () => readIfThere(path, reader);
    const lookUp = async () => {
      const document = await read();
      return document && { document };
    };
    const recovered = await send(call, { lookUp, readCreated: read }).catch(async (error: unknown) => {
      const why = refusals.find(([text]) => isRefused(error, text))?.[1];
      if (why === undefined) throw explained(error);
      // Another user may have recovered it after the plan.
      const present = await read();
      if (present) return present;
      notice(
        warning(
          'not-recovered',
          `${change.address} is not recovered: ${why}; it is created again, and its state, runs and variables are lost`,
          { at: { address: change.address } },
        ),
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
      return Object.fromEntries(settings.filter(([path]) => isAttributePath(path) || recorded.has(path)));
    });
  },
};

function isRefused(error: unknown, text: RegExp): boolean {
  return error instanceof ServiceError && error.status === 422 && hasDetail(error, text);
}

function explained(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  if (isRefused(error, /recovery failed/i)) {
    const hint = 'check that its project exists and that no other workspace has its name, then run again';
    return withHint(error, hint);
  }
  if (error.status !== 403 && error.status !== 404) return error;
  return withHint(error, 'use a token that may manage recoverable items');
}
