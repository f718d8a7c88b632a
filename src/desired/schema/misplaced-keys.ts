import { workspaceAttributes } from '../../model/attribute-table.ts';
import { workspaceRelations } from '../../model/attributes.ts';
import { permissions } from '../../model/permissions.ts';
import { isRecord } from '../../model/value.ts';

/*
 * Where a key belongs that its mapping does not have. A key of another level is found by its name: YAML with one line too
 * far to the left or to the right is still YAML.
 */

export const settings: ReadonlySet<string> = new Set([
  ...Object.keys(workspaceAttributes).map((path) => path.replace(/\..*/, '')),
  ...[...workspaceRelations, 'extends', 'protect', 'renamed-from', 'unmanaged'],
]);

const nested = Object.entries({ ...workspaceAttributes, ...permissions }).flatMap(([path]) => {
  const [holder = '', key] = path.split('.');
  return key === undefined ? [] : [[key, holder] as const];
});

const sectionsOfFile: ReadonlySet<string> = new Set([
  ...['organization', 'service', 'include', 'defaults', 'projects', 'teams', 'ssh-keys', 'agent-pools'],
  ...['vcs-connections', 'templates', 'workspaces', 'roles', 'team-access', 'policies', 'scope', 'prune'],
  ...['limits', 'guards', 'notify', 'exceptions', 'freeze'],
]);

const keysOfSections: ReadonlyMap<string, string> = new Map([
  ...['address', 'dialect', 'rate', 'parallelism', 'timeout'].map((key) => [key, 'service'] as const),
  ...['deletes', 'delete-percent', 'revokes', 'updates'].map((key) => [key, 'limits'] as const),
  ...['keep-admin', 'keep-self'].map((key) => [key, 'guards'] as const),
]);

interface Misplaced {
  readonly title: string;
  readonly holder?: string;
  readonly container: object;
  readonly value?: unknown;
  readonly isNear?: boolean;
}

export function placeOfKey(key: string, misplaced: Misplaced): string | undefined {
  const { title, holder = '', container, value, isNear = false } = misplaced;
  const row = rows.find(([mapping, keys]) => mapping.test(title) && keys.test(key));
  if (row) return row[2];
  const below = (what: string, where: string) => `\`${key}\` is a key of ${what}: indent it below ${where}`;
  const ofFile = (section: string) => `\`${section}\` is a key of the file: write it without indentation`;
  if (title === 'root file' || title === 'included file') {
    const { workspaces = {} } = container as { readonly workspaces?: object };
    if (settings.has(key) && !(isNear && isRecord(value)))
      return below('a workspace', workspaceAbove(workspaces));
    const section = keysOfSections.get(key);
    if (section !== undefined) return below(`\`${section}\``, `\`${section}\``);
    const isWorkspace = isRecord(value) && Object.keys(value).some((one) => settings.has(one));
    return isWorkspace && !isNear
      ? `\`${key}\` has keys of a workspace: indent it below \`workspaces\``
      : undefined;
  }
  if (title === 'mapping of workspaces') {
    if (settings.has(key)) return below('a workspace', workspaceAbove(container, key));
    return sectionsOfFile.has(key) ? ofFile(key) : undefined;
  }
  if (nested.some(([, group]) => group === title) && settings.has(key))
    return `\`${key}\` is a key of a workspace: indent it like \`${title}\``;
  const isAccess = /^(grant|role|.*-access mapping)$/.test(title);
  const holds = isAccess || title === 'workspace' || title === 'template' || title.endsWith('defaults');
  const [, group] = nested.find(([one, of]) => one === key && of.endsWith('-access') === isAccess) ?? [];
  if (isNear) return undefined;
  // The entry is itself a setting or a section, with the indentation of a workspace.
  if (title === 'workspace' && settings.has(holder))
    return `\`${holder}\` is a key of a workspace: indent it, with its keys, below the name of one`;
  if (title === 'workspace' && sectionsOfFile.has(holder)) return ofFile(holder);
  if (holds && group !== undefined) return below(`\`${group}\``, `\`${group}\``);
  return sectionsOfFile.has(key) ? ofFile(key) : undefined;
}

function workspaceAbove(workspaces: object, key?: string): string {
  const names = Object.keys(workspaces);
  const above = key === undefined ? names : names.slice(0, names.indexOf(key));
  const name = above.findLast((one) => !settings.has(one) && !sectionsOfFile.has(one));
  return name === undefined ? 'the name of a workspace' : `\`${name}\``;
}

/** Where a key belongs that is right in another place, or what manages what Attune does not. */
const rows: readonly (readonly [title: RegExp, key: RegExp, hint: string])[] = [
  [
    /^mapping of defaults$/,
    new RegExp(`^(${[...settings].join('|')})(\\.|$)`),
    'write it under defaults.workspace',
  ],
  [
    /^service mapping$/,
    /token|password|secret|credential/i,
    'remove it, and set ATTUNE_TOKEN in the environment: a token is never in a file',
  ],
  [
    /^entry of notify$/,
    /url|address|webhook/i,
    'remove it, and name the environment variable that contains the address: "url-env: SLACK_URL"',
  ],
  [
    /^workspace$/,
    /^team(s|-access)$/,
    'write it under team-access of the file, by project: teams have access to projects',
  ],
  [
    /^workspace$/,
    /^name$/,
    'use the name as the key of the mapping; to rename the workspace, add renamed-from',
  ],
  [/^template$/, /^(state|delete|renamed-from)$/, 'move it to a workspace'],
  [
    /^/,
    /^((terraform-)?variables|vars|env|environment|env-vars|variable-sets|varsets|notification(s|-configurations)|run-(triggers|tasks)|policy-sets|sentinel|stacks|organization-access|members|users)$/,
    "remove it: Attune does not manage it; Terraform's tfe provider does",
  ],
];
