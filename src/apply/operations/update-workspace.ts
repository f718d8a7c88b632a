import { repositoryOf } from '../../diff/workspace-target.ts';
import { readWorkspace } from '../../live/read-workspaces.ts';
import { includingBindings } from '../../live/tag-bindings.ts';
import { workspaceFromDocument } from '../../live/workspace-document.ts';
import { type OperationHandler, sendRepeatable } from './operation.ts';
import { pickFacts, recheckFacts } from './recheck.ts';
import { sentBindings } from './tag-bindings.ts';
import { sentSettings, workspaceSettings } from './workspace-settings.ts';

export const updateWorkspace: OperationHandler = {
  ...workspaceSettings,
  /** Rechecks a repository that is detached, and values that are sent only because another one is. */
  async recheck(prepared, context) {
    const { call, change, id } = prepared;
    const { reader, dialect } = context;
    const differs = new Set(change.fields.map(({ path }) => path));
    const written = Object.keys(sentSettings(call, dialect));
    const replaces = sentBindings(call) !== undefined;
    const coupled = written.filter((path) => !differs.has(path));
    await recheckFacts(prepared, context, {
      // A replacement would remove tags that other users added since the plan.
      facts: pickFacts(change.facts ?? {}, [...coupled, 'vcs-repo', ...(replaces ? ['tag-bindings'] : [])]),
      async read() {
        const document = await readWorkspace(replaces ? includingBindings(reader) : reader, id);
        if (document === undefined) return undefined;
        const { attributes } = workspaceFromDocument(document, dialect);
        return { ...attributes, 'vcs-repo': repositoryOf(attributes) };
      },
    });
  },
  send: sendRepeatable,
};
