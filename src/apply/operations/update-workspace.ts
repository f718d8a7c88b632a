import { isAttributePath, workspaceAttributes } from '../../model/attributes.ts';
import type { Call } from '../../model/plan.ts';
import { type OperationHandler, type ReadValues, sendRepeatable } from './operation.ts';
import { readSettings, readSettingsAndBindings } from './read-values.ts';
import { pickFacts, recheckFacts } from './recheck.ts';
import { sentBindings } from './tag-bindings.ts';
import { sentSettings, workspaceSettings } from './workspace-settings.ts';

export const updateWorkspace: OperationHandler = {
  ...workspaceSettings,
  /** Rechecks a repository that is detached, lists that are replaced, and values that are sent only because another one is. */
  async recheck(prepared, context) {
    const { call, change } = prepared;
    const differs = new Set(change.fields.map(({ path }) => path));
    const written = Object.keys(sentSettings(call, context.dialect));
    const replaces = sentBindings(call) !== undefined;
    const rechecked = written.filter((path) => !differs.has(path) || isList(path));
    await recheckFacts(prepared, context, {
      // A replacement would remove tags and list entries that other users added since the plan.
      facts: pickFacts(change.facts ?? {}, [...rechecked, 'vcs-repo', ...(replaces ? ['tag-bindings'] : [])]),
      read: () => readOf(call)(prepared, context),
    });
  },
  send: sendRepeatable,
  read: (prepared, context) => readOf(prepared.call)(prepared, context),
};

function readOf(call: Call): ReadValues {
  return sentBindings(call) === undefined ? readSettings : readSettingsAndBindings;
}

function isList(path: string): boolean {
  return isAttributePath(path) && workspaceAttributes[path].type === 'strings';
}
