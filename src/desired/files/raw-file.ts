import type { AliasKind } from '../../model/alias-kind.ts';
import type { Severity } from '../../model/diagnostic.ts';
import type { Feature } from '../../model/feature.ts';
import type { PolicySubject } from '../../model/policy.ts';
import type { ProjectPath } from '../../model/project-attributes.ts';
import type { Selector } from '../../model/selector.ts';
import type { ConsumerRef, DeleteMode } from '../../model/state.ts';
import type { TagBindings, WrittenBindings } from '../../model/tag-bindings.ts';
import type { Value } from '../../model/value.ts';

/*
 * The data of a file once the schema has passed it. Any key may also be `undefined`: then it is named, but its value
 * was wrong and was taken out. Mappings have no prototype.
 */

type Loose<T> = { readonly [K in keyof T]?: T[K] | undefined };
type Named<T> = Readonly<Record<string, T | undefined>>;

export type RawAlias = string | { readonly name?: string | undefined };

/** A project: a reference, or with `manage: true` a resource. */
export type RawProject =
  | string
  | Loose<
      Record<'name' | 'id' | 'renamed-from', string> &
        Record<'manage' | 'protect', boolean> &
        Record<Exclude<ProjectPath, 'name'>, string | null> & {
          state: 'absent';
          'tag-bindings': WrittenBindings;
        }
    >;

export type RawFile = Loose<
  Record<Exclude<AliasKind, 'projects'>, Named<RawAlias>> & {
    projects: Named<RawProject>;
    organization: string;
    service: RawService;
    include: readonly string[];
    defaults: Loose<{ workspace: RawLayer }>;
    templates: Named<RawLayer>;
    workspaces: Named<RawLayer>;
    roles: Named<RawRole>;
    'team-access': Named<Named<RawGrant>>;
    policies: readonly RawPolicy[];
    scope: RawScope;
    prune: Loose<{ workspaces: 'keep' | DeleteMode; 'team-access': boolean }>;
    guards: Loose<{
      protect: readonly (string | Selector)[];
      'keep-admin': readonly string[];
      'keep-self': boolean;
    }>;
    limits: Loose<Record<'deletes' | 'delete-percent' | 'revokes' | 'updates' | 'update-percent', number>>;
    synthesized: Loose<{ problems: readonly RawProblem[] }>;
  }
>;

export type RawScope = Loose<
  Record<'projects' | 'tags' | 'names' | 'adopt', readonly string[]> & {
    enforce: boolean;
    tagged: TagBindings;
  }
>;

/** A policy, with its expressions as text. */
export type RawPolicy = Loose<
  Record<'id' | 'when' | 'require' | 'message', string> & { on: PolicySubject; severity: Severity }
>;

/** A problem that a program found, with its place as {@link printPlace} writes it. */
export type RawProblem = Loose<Record<'code' | 'message' | 'hint' | 'place', string>>;

export type RawService = Loose<{
  address: string;
  dialect: 'iac' | 'terraform';
  rate: number;
  parallelism: number;
  timeout: number;
  without: readonly Feature[];
  data: string;
  seed: string;
}>;

export type RawList<Item> =
  | readonly Item[]
  | Loose<Record<'exactly' | 'add' | 'remove', readonly Item[] | undefined>>;

/** A workspace, a template or the workspace defaults; the latter two have fewer keys. */
export type RawLayer = Loose<{
  extends: string | readonly string[];
  unmanaged: readonly string[];
  state: 'absent';
  delete: DeleteMode;
  'renamed-from': string;
  protect: boolean;
  tags: RawList<string>;
  'remote-state-consumers': RawList<ConsumerRef>;
}> &
  Named<Value>;

export type RawGrant = string | RawRole;

export type RawRole = Loose<{
  access: string;
  'project-access': Named<string | boolean>;
  'workspace-access': Named<string | boolean>;
}>;
