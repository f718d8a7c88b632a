import { holderText } from '../../live/included.ts';
import type { NamedThing, WorkspaceEntry } from '../../live/workspace-entry.ts';
import { bindingText } from '../../model/tag-bindings.ts';
import { counted } from '../../model/text.ts';
import type { Value, Values } from '../../model/value.ts';
import { escapeControls } from '../escape-controls.ts';
import { type Paint, plain } from '../paint.ts';
import { valueText } from '../text/change-text.ts';

type Line = readonly [label: string, text: string];

/** Where the values start. */
const labelWidth = 34;

/** All details of one workspace. */
export function workspaceText(entry: WorkspaceEntry, paint: Paint = plain): string {
  const groups: readonly (readonly Line[])[] = [about(entry), valueLines(entry.settings), facts(entry)];
  const body = groups.map((lines) => lines.map((line) => `${labelled(line, paint)}\n`).join(''));
  return `${paint('bold', escapeControls(entry.name))}  ${entry.id}\n\n${body.join('\n')}`;
}

/** Workspaces that a user is asked about: what they manage, and who has locked them. */
export function workspacesToConfirm(entries: readonly WorkspaceEntry[]): string {
  const lines = entries.map(({ name, resources = 0, lock: { locked, by } }) => {
    const facts = [
      ...(resources > 0 ? [`manages ${counted(resources, 'resource')}`] : []),
      ...(locked ? [`locked by ${by ? holderText(by) : 'an unknown user'}`] : []),
    ];
    return `  ${escapeControls([name, facts.join(', ')].join('  ').trimEnd())}\n`;
  });
  return lines.join('');
}

function about(entry: WorkspaceEntry): Line[] {
  const { project, declared, tags, tagBindings, resources, sshKey, consumers, dataRetention } = entry;
  return [
    ['project', project ? thingText(project) : '(none)'],
    ['declared', declared ? declaredText(declared) : 'no'],
    ['lock', lockText(entry)],
    ...(resources === undefined ? [] : [['resources', String(resources)] as const]),
    ['tags', valueText(tags)],
    ...(tagBindings === undefined ? [] : [['tag-bindings', bindingsText(tagBindings)] as const]),
    ...(consumers === undefined ? [] : [['state readable by', consumersText(consumers)] as const]),
    ['ssh-key', sshKey ? thingText(sshKey) : '(none)'],
    ...(dataRetention === undefined ? [] : [['data-retention', retentionText(dataRetention)] as const]),
  ];
}

function bindingsText(bindings: NonNullable<WorkspaceEntry['tagBindings']>): string {
  if (bindings.length === 0) return '(none)';
  return bindings
    .map(({ key, value, inherited }) => `${bindingText(key, value)}${inherited ? ' (inherited)' : ''}`)
    .join(', ');
}

function facts({ facts: computed, permissions }: WorkspaceEntry): Line[] {
  const allowed: Line = [
    'permissions of this token',
    permissions.length > 0 ? permissions.join(', ') : 'unknown',
  ];
  return [...valueLines(computed), allowed];
}

function valueLines(values: Values): Line[] {
  return Object.entries(values).map(([path, value]) => [path, valueText(value)]);
}

function labelled([label, text]: Line, paint: Paint): string {
  return `  ${paint('dim', escapeControls(label).padEnd(labelWidth))}  ${escapeControls(text)}`;
}

function thingText({ alias, name, id }: NamedThing): string {
  const called = [alias, name === alias ? undefined : name].filter((text) => text !== undefined);
  return called.length > 0 ? `${called.join(', ')} (${id})` : id;
}

function declaredText({ file, line, protect }: NonNullable<WorkspaceEntry['declared']>): string {
  return `${file}:${line}${protect ? ', protected' : ''}`;
}

function lockText({ lock: { locked, by, reason } }: WorkspaceEntry): string {
  if (!locked) return 'unlocked';
  return `locked${by ? ` by ${holderText(by)}` : ''}${reason === undefined ? '' : `: ${reason}`}`;
}

function consumersText(consumers: NonNullable<WorkspaceEntry['consumers']>): string {
  if (consumers === 'all') return 'every workspace of the organization';
  if (consumers === 'project') return 'every workspace of its project';
  return consumers.length === 0
    ? 'no other workspace'
    : consumers.map(({ name, id }) => name ?? id).join(', ');
}

function retentionText(retention: Value): string {
  return retention === null ? 'not set' : valueText(retention);
}
