import type { Scalar } from 'yaml';
import type { ServiceSettings } from '../desired/configuration.ts';
import { nestedAttributes } from '../model/attributes.ts';
import type { Value } from '../model/value.ts';
import type { FileContent, RootContent, WorkspaceContent } from './file-content.ts';
import type { Layer } from './layer.ts';
import { printNode } from './print-node.ts';
import {
  type Entry,
  mapping,
  quoted,
  scalar,
  spacedMapping,
  type ValueNode,
  valueNode,
} from './yaml-nodes.ts';

const schema = './node_modules/attune/schemas/attune.schema.json';

/** The text of a file. */
export function renderFile({ root, aliases, templates, workspaces, teamAccess }: FileContent): string {
  const sections: Entry[] = [
    ...(root ? rootSections(root) : []),
    ...[...aliases].map(([kind, ids]): Entry => [kind, mapping(aliasEntries(ids))]),
    ...(root && root.defaults.size > 0
      ? [['defaults', mapping([['workspace', mapping(layerEntries(root.defaults))]])] as const]
      : []),
    ...section('templates', templateEntries(templates), spacedMapping),
    ...section('workspaces', workspaceEntries(workspaces), spacedMapping),
    ...section('team-access', accessEntries(teamAccess)),
  ];
  const comment = root ? schema : `.${schema}#/$defs/included-file`;
  return render(sections, ` yaml-language-server: $schema=${comment}`);
}

function render(sections: readonly Entry[], comment: string): string {
  const contents = mapping(sections);
  for (const { key } of contents.items.slice(1)) {
    const node = key as Scalar;
    node.spaceBefore = node.value !== 'organization';
  }
  contents.commentBefore = comment;
  return printNode(contents);
}

function rootSections({ organization, service, include }: RootContent): Entry[] {
  return [
    ['attune', scalar(1)],
    ['organization', scalar(organization)],
    ...section('service', serviceEntries(service)),
    ...(include.length > 0 ? [['include', valueNode(include)] as const] : []),
  ];
}

function serviceEntries(service: ServiceSettings): Entry[] {
  return Object.entries(service).map(([key, value]) => [key, scalar(value)]);
}

function section(
  key: string,
  entries: readonly Entry[],
  join: (entries: readonly Entry[]) => ValueNode = mapping,
): Entry[] {
  return entries.length === 0 ? [] : [[key, join(entries)]];
}

export function aliasEntries(ids: ReadonlyMap<string, string>): Entry[] {
  return [...ids].map(([alias, id]) => [alias, scalar(id)]);
}

function templateEntries(templates: FileContent['templates']): Entry[] {
  return [...templates].map(([name, layer]) => [name, mapping(layerEntries(layer))]);
}

export function workspaceEntries(workspaces: ReadonlyMap<string, WorkspaceContent>): Entry[] {
  return [...workspaces].map(([name, { extends: template, own }]) => {
    const entries = [
      ...(template === undefined ? [] : [['extends', scalar(template)] as const]),
      ...layerEntries(own),
    ];
    return [name, entries.length === 0 ? valueNode({}) : mapping(entries)];
  });
}

export function accessEntries(teamAccess: FileContent['teamAccess']): Entry[] {
  return [...teamAccess].map(([project, teams]) => [project, mapping(grantEntries(teams))]);
}

export function grantEntries(teams: ReadonlyMap<string, Value>): Entry[] {
  return [...teams].map(([team, grant]) => [team, valueNode(grant)]);
}

/** Dotted paths become mappings. */
function layerEntries(layer: Layer): Entry[] {
  const entries = new Map<string, ValueNode>();
  const nested = new Map<string, Record<string, Value>>();
  for (const [path, value] of layer) {
    const holder = nestedAttributes.find((name) => path.startsWith(`${name}.`));
    if (holder === undefined)
      entries.set(path, path === 'iac-version' ? quoted(String(value)) : valueNode(value));
    else {
      const held = nested.get(holder) ?? {};
      held[path.slice(holder.length + 1)] = value;
      nested.set(holder, held);
      entries.set(holder, valueNode(held));
    }
  }
  return [...entries];
}
