import { isAttributePath, workspaceAttributes } from '../../model/attributes.ts';
import { type OperationHandler, type ReadValues, sendRepeatable } from './operation.ts';
import { readSettings, readSettingsAndBindings } from './read-values.ts';
import { pickFacts, recheckFacts } from './recheck.ts';
import { workspaceSettings } from './workspace-settings.ts';

const readWritten: ReadValues = (prepared, context) =>
  (prepared.written.bindings ? readSettingsAndBindings : readSettings)(prepared, context);

export const updateWorkspace: OperationHandler = {
  ...workspaceSettings,
  /** Rechecks a repository that is detached, lists that are replaced, and values that are sent only because another one is. */
  async recheck(prepared, context) {
    const { written, change } = prepared;
    const { values, bindings } = written;
    const differs = new Set(change.fields.map(({ path }) => path));
    const rechecked = Object.keys(values).filter((path) => !differs.has(path) || isList(path));
    await recheckFacts(prepared, context, {
      // A replacement would remove tags and list entries that other users added since the plan.
      facts: pickFacts(change.facts ?? {}, [...rechecked, 'vcs-repo', ...(bindings ? ['tag-bindings'] : [])]),
      read: () => readWritten(prepared, context),
    });
  },
  send: sendRepeatable,
  read: readWritten,
};

function isList(path: string): boolean {
  return isAttributePath(path) && workspaceAttributes[path].type === 'strings';
}
