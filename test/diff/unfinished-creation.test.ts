import { expect, test } from 'vitest';
import { type DiffOptions, diff } from '../../src/diff/diff.ts';
import type { Live } from '../../src/live/read-live.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import { configured } from '../desired/load-files.ts';

interface Case {
  readonly title: string;
  /** The declaration of `app`. */
  readonly app?: string;
  readonly scope?: string;
  /** Live values beside those of a new workspace. */
  readonly live?: WorkspaceResource['attributes'];
  readonly isUsed?: boolean;
  readonly hidesTags?: boolean;
  readonly unfinished?: DiffOptions['unfinished'];
  readonly found: readonly string[];
}

const created = '{description: words, tags: [managed]}';
const continued = (why: string, missing = 'tag "managed" of scope.tags is missing') => [
  `note unfinished-creation at 3: the creation of workspace.app is continued: ${missing}, but ${why}`,
];
const unused = 'the workspace is unused and has every value that its creation sends';
const journaled = 'the last journal shows that the run which created the workspace did not complete';
const outside = ['error outside-scope at 3'];
const bound = '{tags: [managed], tagged: {env: prod}}';
const missingBoth =
  'tag "managed" of scope.tags is missing, and tag binding "env=prod" of scope.tagged is missing';

const cases: readonly Case[] = [
  { title: 'an unused workspace with the values of its creation', found: continued(unused) },
  { title: 'a workspace with a tag', live: { tags: ['theirs'] }, found: outside },
  {
    title: 'a name outside the scope',
    scope: '{tags: [managed], names: ["other-*"]}',
    found: outside,
  },
  {
    title: 'added tag bindings, which are sent after the creation',
    app: '{description: words, tags: [managed], tag-bindings: {add: {env: prod}}}',
    scope: bound,
    live: { 'tag-bindings': {} },
    found: continued(unused, missingBoth),
  },
  {
    title: 'exact tag bindings, which the creation sends',
    app: '{description: words, tags: [managed], tag-bindings: {exactly: {env: prod}}}',
    scope: bound,
    live: { 'tag-bindings': {} },
    found: outside,
  },
  {
    title: 'missing tag bindings after a creation that a journal shows with both to send',
    app: '{description: words, tags: [managed], tag-bindings: {add: {env: prod}}}',
    scope: bound,
    live: { description: 'others', 'tag-bindings': {} },
    unfinished: new Map([['ws-app', new Set(['tags', 'tagged'] as const)]]),
    found: continued(journaled, missingBoth),
  },
  {
    title: 'a missing tag binding after a creation that a journal shows without its tags',
    app: '{description: words, tags: [managed], tag-bindings: {add: {env: prod}}}',
    scope: bound,
    live: { description: 'others', 'tag-bindings': {} },
    unfinished: new Map([['ws-app', new Set(['tags'] as const)]]),
    found: outside,
  },
  { title: 'an unused workspace that is deleted', app: '{state: absent}', found: outside },
];

test.each(cases)('a workspace outside the scope may be an unfinished creation: $title', async (one) => {
  const {
    app = created,
    scope = '{tags: [managed]}',
    live = {},
    isUsed = false,
    hidesTags = false,
    unfinished,
  } = one;
  const configuration = await configured(`workspaces: {app: ${app}}\nscope: ${scope}\n`);
  const workspace: WorkspaceResource = {
    kind: 'workspace',
    address: 'workspace.app',
    name: 'app',
    id: 'ws-app',
    attributes: {
      description: 'words',
      ...(!hidesTags && { tags: [] }),
      lock: { locked: false },
      'resource-count': 0,
      ...live,
    },
    ...(!isUsed && { isUnused: true }),
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
  const { diagnostics } = diff(configuration, state, unfinished ? { unfinished } : {});
  const found = diagnostics.map(({ severity, code, location, message }) => {
    const place = `${severity} ${code} at ${location?.line}`;
    return code === 'unfinished-creation' ? `${place}: ${message}` : place;
  });
  expect(found).toEqual(one.found);
});
