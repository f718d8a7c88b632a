import { workspaceAttributes } from '../../model/attribute-table.ts';
import { listPaths, workspaceRelations } from '../../model/attributes.ts';
import { permissions } from '../../model/permissions.ts';
import { quote } from '../../model/text.ts';
import { isRecord } from '../../model/value.ts';

/*
 * Where a key belongs that its mapping does not have. A key of another level is found by its name: YAML with one line too
 * far to the left or to the right is still YAML.
 */

/** What only a workspace can have. */
const ownSettings: readonly string[] = ['state', 'delete', 'renamed-from'];
export const settings: ReadonlySet<string> = new Set([
  ...Object.keys(workspaceAttributes).map((path) => path.replace(/\..*/, '')),
  ...[...workspaceRelations, 'extends', 'protect', 'unmanaged', ...ownSettings],
]);

const listSettings: ReadonlySet<string> = new Set([...listPaths, 'tag-bindings']);

const sectionsOfFile: ReadonlySet<string> = new Set([
  ...['organization', 'service', 'include', 'defaults', 'projects', 'teams', 'ssh-keys', 'agent-pools'],
  ...['vcs-connections', 'templates', 'workspaces', 'roles', 'team-access', 'policies', 'scope', 'prune'],
  ...['limits', 'guards', 'notify', 'exceptions', 'freeze'],
]);

const keysOf = (holder: string) =>
  Object.keys({ ...workspaceAttributes, ...permissions })
    .filter((path) => path.startsWith(`${holder}.`))
    .map((path) => path.slice(holder.length + 1));
const keysOfRoles = ['access', 'project-access', 'workspace-access'];
export const keysOfGrants: readonly string[] = [...keysOfRoles, 'until', 'reason'];
const keysOfWindows = ['from', 'to', 'cron', 'for', 'timezone', 'reason'];

const file = /^(root|included) file$/;
const layer = /^(workspace|template|mapping of workspace defaults)$/;
const access = /^(grant|role|.*-access mapping)$/;

/** The keys one level deeper: a mapping that has the holder, the holder, and the keys of its value. */
const deeper: readonly (readonly [mapping: RegExp, holder: string, keys: readonly string[]])[] = [
  [file, 'service', ['address', 'dialect', 'rate', 'parallelism', 'timeout', 'without', 'data', 'seed']],
  [file, 'limits', ['deletes', 'delete-percent', 'revokes', 'updates', 'update-percent', 'exception-days']],
  [file, 'scope', ['names', 'tagged', 'adopt', 'enforce']],
  [file, 'guards', ['keep-admin', 'keep-self']],
  ...['vcs-repo', 'setting-overwrites'].map((holder) => [layer, holder, keysOf(holder)] as const),
  [layer, 'data-retention', ['delete-older-than-days', 'dont-delete']],
  [layer, 'lock', ['reason']],
  ...['project-access', 'workspace-access'].map((holder) => [access, holder, keysOf(holder)] as const),
  [/^freeze window$/, 'select', ['tag', 'project', 'name', 'tagged', 'except']],
];

/** The keys one level higher: a mapping, and what has its holder and the keys. */
const higher: readonly (readonly [mapping: RegExp, what: string, keys: readonly string[]])[] = [
  [/^(vcs-repo|setting-overwrites mapping|data retention.*|lock|list rule)$/, 'a workspace', [...settings]],
  [/-access mapping$/, 'a grant', keysOfGrants],
  [/^selector$/, 'a freeze window', keysOfWindows],
];

/** What an error is about. */
export interface Member {
  readonly container?: object;
  readonly key?: string | number;
  readonly value: unknown;
  /** Where the key itself is wrong: the key of its mapping. */
  readonly holder?: string;
  readonly owner?: { readonly mapping: Record<string, unknown>; readonly key: string } | undefined;
}

interface Misplaced {
  readonly title: string;
  readonly holder: string;
  readonly container: object;
  readonly value: unknown;
  /** The most similar key that the mapping has. */
  readonly near: string | undefined;
}

export function placeOfKey(key: string, { title, holder, container, value, near }: Misplaced) {
  const isNear = near !== undefined;
  const is = (what: string) => `\`${key}\` is a key of ${what}: indent it`;
  const ofFile = (section: string) => `\`${section}\` is a key of the file: write it without indentation`;
  const isFile = file.test(title);
  if (isFile && settings.has(key) && !(isNear && isRecord(value))) {
    const { workspaces = {} } = container as { readonly workspaces?: object };
    return `${is('a workspace')} below ${nameAbove(workspaces, 'a workspace')}`;
  }
  // The entry is itself a setting or a section, with the indentation of a workspace or of a team.
  const among = (of: string, named: string) =>
    `\`${holder}\` is a key of ${of}: indent it, with its keys, below the name of ${named}`;
  if (title === 'workspace' && settings.has(holder)) return among('a workspace', 'one');
  if (title === 'grant' && keysOfGrants.includes(holder)) return among('a grant', 'a team');
  if (title === 'workspace' && sectionsOfFile.has(holder)) return ofFile(holder);
  const [, group] = deeper.find(([mapping, , keys]) => mapping.test(title) && keys.includes(key)) ?? [];
  if (group !== undefined) return `${is(`\`${group}\``)} below \`${group}\``;
  if (layer.test(title) && /^(add|remove|exactly)$/.test(key)) {
    const list = above(container, key).findLast((one) => listSettings.has(one)) ?? 'tags';
    return `${is('a list')} below \`${list}\``;
  }
  const row = rows.find(([mapping, keys]) => mapping.test(title) && keys.test(key));
  if (row) return row[2];
  const [, what] = higher.find(([mapping, , keys]) => mapping.test(title) && keys.includes(key)) ?? [];
  if (what !== undefined) return `${is(what)} like \`${holder}\``;
  if (near === `${key}s` || key === `${near}s`) return undefined;
  if (sectionsOfFile.has(key) && !isFile) return ofFile(key);
  if (isNear) return undefined;
  const isWorkspace = isRecord(value) && Object.keys(value).some((one) => settings.has(one));
  const place = isFile ? 'below `workspaces`' : `like \`${holder}\``;
  return isWorkspace && (isFile || title === 'workspace' || title === 'template')
    ? `\`${key}\` has keys of a workspace: indent it ${place}`
    : undefined;
}

/** The same for a key that is where the name of a workspace, a template or a project has to be. */
export function placeOfEntry(
  title: string | undefined,
  { key, container, value }: Member,
): string | undefined {
  if (title === undefined || typeof key !== 'string' || container === undefined) return undefined;
  if (value === null) {
    const next = Object.keys(container)[Object.keys(container).indexOf(key) + 1];
    return next !== undefined && isKeyOf(title, next)
      ? `indent the keys of ${quote(key)} below it`
      : undefined;
  }
  if (isKeyOf(title, key))
    return `\`${key}\` is a key of a ${title}: indent it below ${nameAbove(container, `a ${title}`, key)}`;
  return title === 'workspace' && sectionsOfFile.has(key)
    ? `\`${key}\` is a key of the file: write it without indentation`
    : undefined;
}

function isKeyOf(title: string, key: string): boolean {
  const isKey: Readonly<Record<string, boolean>> = {
    workspace: settings.has(key),
    template: settings.has(key) && !ownSettings.includes(key),
    role: keysOfRoles.includes(key),
    project: key === 'manage' || key === 'protect',
  };
  return isKey[title] === true;
}

function nameAbove(entries: object, what: string, key?: string): string {
  const name = above(entries, key).findLast(
    (one) => !settings.has(one) && !sectionsOfFile.has(one) && one !== 'name',
  );
  return name === undefined ? `the name of ${what}` : `\`${name}\``;
}

function above(entries: object, key?: string): string[] {
  const keys = Object.keys(entries);
  return key === undefined ? keys : keys.slice(0, keys.indexOf(key));
}

/** Where a key belongs that is right in another place, or what manages what Attune does not. */
const rows: readonly (readonly [title: RegExp, key: RegExp, hint: string])[] = [
  [
    /^(template|mapping of (workspace )?defaults)$/,
    /^(state|delete|renamed-from)$/,
    'move it to a workspace',
  ],
  [/^mapping of (workspace )?defaults$/, /^(extends|unmanaged)$/, 'move it to a template, or to a workspace'],
  [
    /^mapping of defaults$/,
    new RegExp(`^(${[...settings].join('|')})(\\.|$)`),
    'write it under defaults.workspace',
  ],
  [/^policy file$/, new RegExp(`^(${[...sectionsOfFile].join('|')})$`), 'move it to a root file'],
  [/^freeze window$/, /^(workspaces?|projects|tags|names)$/, 'write select: {name: ...}, or tag or project'],
  [
    /^service mapping$/,
    /token|password|secret|credential/i,
    'remove it, and set ATTUNE_TOKEN in the environment: a token is never in a file',
  ],
  [
    /^workspace$/,
    /^name$/,
    'use the name as the key of the mapping; to rename the workspace, add renamed-from',
  ],
  [
    /^/,
    /^((terraform-)?variables|vars|env|environment|env-vars|variable-sets|varsets|notification(s|-configurations)|run-(triggers|tasks)|policy-sets|sentinel|stacks|organization-access|members|users)$/,
    "remove it: Attune does not manage it; Terraform's tfe provider does",
  ],
];
