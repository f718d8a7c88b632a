import { repositoryOf } from '../../diff/workspace-target.ts';
import { readWorkspace } from '../../live/read-workspaces.ts';
import { workspaceFromDocument } from '../../live/workspace-document.ts';
import { type OperationHandler, sendRepeatable } from './operation.ts';
import { pickFacts, recheckFacts } from './recheck.ts';
import { sentSettings, workspaceSettings } from './workspace-settings.ts';

export const updateWorkspace: OperationHandler = {
  ...workspaceSettings,
  /** Rechecks a repository that is detached, and values that are sent only because another one is. */
  async recheck(prepared, context) {
    const { call, change, id } = prepared;
    const { reader, dialect } = context;
    const differs = new Set(change.fields.map(({ path }) => path));
    const written = Object.keys(sentSettings(call, dialect));
    const coupled = written.filter((path) => !differs.has(path));
    await recheckFacts(prepared, context, {
      facts: pickFacts(change.facts ?? {}, [...coupled, 'vcs-repo']),
      async read() {
        const document = await readWorkspace(reader, id);
        if (document === undefined) return undefined;
        const { attributes } = workspaceFromDocument(document, dialect);
        return { ...attributes, 'vcs-repo': repositoryOf(attributes) };
      },
    });
  },
  send: sendRepeatable,
};
