import type { ServiceSettings } from '../desired/configuration.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import type { Value } from '../model/value.ts';
import type { Layer } from './layer.ts';

/** What one file holds, in the order in which it is written; sections that hold nothing are left out. */
export interface FileContent {
  /** Root files only. */
  readonly root?: RootContent;
  /** Alias -> id. */
  readonly aliases: ReadonlyMap<AliasKind, ReadonlyMap<string, string>>;
  readonly templates: ReadonlyMap<string, Layer>;
  readonly workspaces: ReadonlyMap<string, WorkspaceContent>;
  /** Project -> team -> grant, by alias. */
  readonly teamAccess: ReadonlyMap<string, ReadonlyMap<string, Value>>;
}

export interface RootContent {
  readonly organization: string;
  /** With paths relative to the file. */
  readonly service: ServiceSettings;
  readonly include: readonly string[];
  readonly defaults: Layer;
}

export interface WorkspaceContent {
  readonly extends?: string;
  readonly own: Layer;
}
