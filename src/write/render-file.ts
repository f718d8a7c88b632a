import type { Scalar } from 'yaml';
import type { AliasKind } from '../model/alias-kind.ts';
import { nestedAttributes } from '../model/attributes.ts';
import type { ServiceSettings } from '../model/configuration.ts';
import type { Value } from '../model/value.ts';
import type { Layer } from './lift.ts';
import {
  printNode,
  quoted,
  scalar,
  spacedMapping,
  type ValueNode,
  valueNode,
  type YamlEntry,
  yamlMapping,
} from './yaml-nodes.ts';

/** The content of a file, in the order in which it is written; empty sections are omitted. */
export interface FileContent {
  /** Root files only. */
  readonly root?: RootContent;
  /** Ids and managed projects by alias. */
  readonly aliases: ReadonlyMap<AliasKind, ReadonlyMap<string, Value>>;
  readonly templates: ReadonlyMap<string, Layer>;
  readonly workspaces: ReadonlyMap<string, WorkspaceContent>;
  /** Grants by team by project; aliases. */
  readonly teamAccess: ReadonlyMap<string, ReadonlyMap<string, Value>>;
}

export interface RootContent {
  readonly organization: string;
  /** With paths relative to the file. */
  readonly service: ServiceSettings;
  readonly include: readonly string[];
  readonly scope?: WrittenScope;
  readonly defaults: Layer;
}

/** The scope that an import writes: the selection that it was made with, with aliases of projects. */
export type WrittenScope = Partial<Record<'projects' | 'tags' | 'names', readonly string[]>>;

export interface WorkspaceContent {
  readonly extends?: string;
  /** The keys of layers that it does not inherit. */
  readonly unmanaged?: readonly string[];
  readonly own: Layer;
}

/** @param schema the address of the schema for this file, for editors */
export function renderFile(
  { root, aliases, templates, workspaces, teamAccess }: FileContent,
  schema: string,
): string {
  const sections: YamlEntry[] = [
    ...(root ? rootSections(root) : []),
    ...[...aliases].map(([kind, ids]): YamlEntry => [kind, yamlMapping(aliasEntries(ids))]),
    ...(root && root.defaults.size > 0
      ? [['defaults', yamlMapping([['workspace', yamlMapping(layerEntries(root.defaults))]])] as const]
      : []),
    ...section('templates', templateEntries(templates), spacedMapping),
    ...section('workspaces', workspacePairs(workspaces), spacedMapping),
    ...section('team-access', accessEntries(teamAccess)),
  ];
  const comment = root ? schema : `${schema}#/$defs/included-file`;
  return render(sections, ` yaml-language-server: $schema=${comment}`);
}

function render(sections: readonly YamlEntry[], comment: string): string {
  const contents = yamlMapping(sections);
  for (const { key } of contents.items.slice(1)) {
    const node = key as Scalar;
    node.spaceBefore = node.value !== 'organization';
  }
  contents.commentBefore = comment;
  return printNode(contents);
}

function rootSections({ organization, service, include, scope }: RootContent): YamlEntry[] {
  return [
    ['attune', scalar(1)],
    ['organization', scalar(organization)],
    ...section('service', serviceEntries(service)),
    ...(include.length > 0 ? [['include', valueNode(include)] as const] : []),
    ...(scope ? [['scope', valueNode({ ...scope })] as const] : []),
  ];
}

function serviceEntries(service: ServiceSettings): YamlEntry[] {
  return Object.entries(service).map(([key, value]) => [key, valueNode(value)]);
}

function section(
  key: string,
  entries: readonly YamlEntry[],
  join: (entries: readonly YamlEntry[]) => ValueNode = yamlMapping,
): YamlEntry[] {
  return entries.length === 0 ? [] : [[key, join(entries)]];
}

export function aliasEntries(aliases: ReadonlyMap<string, Value>): YamlEntry[] {
  return [...aliases].map(([alias, value]) => [alias, valueNode(value)]);
}

function templateEntries(templates: FileContent['templates']): YamlEntry[] {
  return [...templates].map(([name, layer]) => [name, yamlMapping(layerEntries(layer))]);
}

export function workspacePairs(workspaces: ReadonlyMap<string, WorkspaceContent>): YamlEntry[] {
  return [...workspaces].map(([name, { extends: template, unmanaged = [], own }]) => {
    const entries = [
      ...(template === undefined ? [] : [['extends', scalar(template)] as const]),
      ...(unmanaged.length > 0 ? [['unmanaged', valueNode(unmanaged)] as const] : []),
      ...layerEntries(own),
    ];
    return [name, entries.length === 0 ? valueNode({}) : yamlMapping(entries)];
  });
}

function accessEntries(teamAccess: FileContent['teamAccess']): YamlEntry[] {
  return [...teamAccess].map(([project, teams]) => [project, yamlMapping(grantEntries(teams))]);
}

export function grantEntries(teams: ReadonlyMap<string, Value>): YamlEntry[] {
  return [...teams].map(([team, grant]) => [team, valueNode(grant)]);
}

/** Converts dotted paths to mappings. */
function layerEntries(layer: Layer): YamlEntry[] {
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
