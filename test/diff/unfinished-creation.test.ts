import { expect, test } from 'vitest';
import { diff } from '../../src/diff/diff.ts';
import type { Live } from '../../src/live/read-live.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import { configured } from '../desired/load-files.ts';
import { rowsIn } from '../support/rows.ts';

interface Case {
  readonly title: string;
  /** The declaration of `app`. */
  readonly app?: string;
  readonly scope?: string;
  /** Live values beside those of a new workspace. */
  readonly live?: WorkspaceResource['attributes'];
  /** What a journal shows as not sent. */
  readonly unfinished?: readonly ('tags' | 'tagged')[];
  /** What is missing and why that is expected; else the workspace is outside the scope. */
  readonly continued?: readonly [missing: string, why: string];
}

/** Why the creation is continued, after the address. */
const reasons: Readonly<Record<string, string>> = {
  unused: 'the workspace is unused and has every value that its creation sends',
  journaled: 'the last journal shows that the run which created the workspace did not complete',
  tag: 'it does not match scope.tags',
  both: 'it does not match scope.tags or scope.tagged',
};

const cases = rowsIn<Case>`
- {title: an unused workspace with the values of its creation, continued: [tag, unused]}
- {title: a workspace with a tag, live: {tags: [theirs]}}
- {title: a name outside the scope, scope: '{tags: [managed], names: ["other-*"]}'}
- {title: 'added tag bindings, which are sent after the creation', app: '{description: words, tags: [managed], tag-bindings: {add: {env: prod}}}', scope: '{tags: [managed], tagged: {env: prod}}', live: {tag-bindings: {}}, continued: [both, unused]}
- {title: 'exact tag bindings, which the creation sends', app: '{description: words, tags: [managed], tag-bindings: {exactly: {env: prod}}}', scope: '{tags: [managed], tagged: {env: prod}}', live: {tag-bindings: {}}}
- {title: missing tag bindings after a creation that a journal shows with both to send, app: '{description: words, tags: [managed], tag-bindings: {add: {env: prod}}}', scope: '{tags: [managed], tagged: {env: prod}}', live: {description: others, tag-bindings: {}}, unfinished: [tags, tagged], continued: [both, journaled]}
- {title: a missing tag binding after a creation that a journal shows without its tags, app: '{description: words, tags: [managed], tag-bindings: {add: {env: prod}}}', scope: '{tags: [managed], tagged: {env: prod}}', live: {description: others, tag-bindings: {}}, unfinished: [tags]}
- {title: an unused workspace that is deleted, app: '{state: absent}'}
`;

test.each(cases)('a workspace outside the scope may be an unfinished creation: $title', async (one) => {
  const { app = '{description: words, tags: [managed]}', scope = '{tags: [managed]}', live = {} } = one;
  const configuration = await configured(`workspaces: {app: ${app}}\nscope: ${scope}\n`);
  const workspace: WorkspaceResource = {
    kind: 'workspace',
    address: 'workspace.app',
    name: 'app',
    id: 'ws-app',
    attributes: { description: 'words', tags: [], lock: { locked: false }, 'resource-count': 0, ...live },
    isUnused: true,
  };
  const state: Live = {
    state: { organization: 'acme', resources: new Map([[workspace.address, workspace]]) },
    dialect: 'terraform',
    whole: false,
    scopeWhole: false,
    names: new Map(),
    projects: [],
    missing: [],
    diagnostics: [],
  };
  const unfinished = one.unfinished && new Map([['ws-app', new Set(one.unfinished)]]);
  const { diagnostics } = diff(configuration, state, unfinished ? { unfinished } : {});
  const found = diagnostics.map(({ severity, code, location, message }) => {
    const place = `${severity} ${code} at ${location?.line}`;
    return code === 'unfinished-creation' ? `${place}: ${message}` : place;
  });
  const [missing = '', why = ''] = one.continued?.map((reason) => reasons[reason]) ?? [];
  const creation = `the creation of workspace.app is continued: ${missing}, but ${why}`;
  expect(found).toEqual([
    one.continued ? `note unfinished-creation at 3: ${creation}` : 'error outside-scope at 3',
  ]);
});
