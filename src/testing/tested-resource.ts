import { aliasOf, type Configuration } from '../desired/configuration.ts';
import { type EffectiveField, effectiveFields } from '../desired/effective-fields.ts';
import type { AttributePath, AttributeTable } from '../model/attributes.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import type { AccessLevel, PermissionPath } from '../model/permissions.ts';
import type {
  AttributeValue,
  AttributeValues,
  GrantResource,
  ListRule,
  WorkspaceResource,
} from '../model/state.ts';
import { isRecord, type Value } from '../model/value.ts';

/** A declared workspace with its effective values: what defaults, templates and the workspace itself declare together. */
export interface TestedWorkspace {
  readonly organization: string;
  readonly name: string;
  /** `workspace.<name>`. */
  readonly address: string;
  /** The alias of the project, else its id. Undefined if it is unmanaged. */
  readonly project: string | undefined;
  /** The tags that are declared, and so on the workspace after an apply. */
  readonly tags: readonly string[];
  /** Whether `protect: true` is declared. */
  readonly protect: boolean;
  /** The managed attributes. An unmanaged one is undefined. */
  readonly attributes: AttributeValues;
  /** The file, line and column that declare it: `workspaces/prod.yaml:3:3`. */
  readonly location: string;
  /**
   * The value of an attribute.
   *
   * @throws {@link AttuneError} `unmanaged` if no layer declares it: then the live value can be any.
   * @example
   * ```ts
   * const { workspace } = await testConfiguration('attune.yaml');
   * console.log(workspace('billing-prod').managed('auto-apply')); // true
   * ```
   */
  managed<Path extends AttributePath>(path: Path): AttributeValue<AttributeTable[Path]['type']> | null;
  /**
   * The file, line and column of the line that decides a value; undefined if the value is unmanaged.
   *
   * @example
   * ```ts
   * const { workspace } = await testConfiguration('attune.yaml');
   * console.log(workspace('billing-prod').origin('auto-apply')); // attune.yaml:9:37
   * ```
   */
  origin(path: AttributePath | 'project' | 'tags' | 'lock' | 'remote-state-consumers'): string | undefined;
}

/** Declared access of a team to a project. */
export interface TestedGrant {
  readonly organization: string;
  /** `<project>/<team>` as the files write them. */
  readonly name: string;
  /** `team-access.<project>/<team>`. */
  readonly address: string;
  readonly project: string;
  readonly team: string;
  readonly access: AccessLevel;
  /** The permissions under `custom`. */
  readonly permissions: Readonly<Partial<Record<PermissionPath, string | boolean>>>;
  readonly location: string;
}

export function testedWorkspace(resource: WorkspaceResource, configuration: Configuration): TestedWorkspace {
  const { name, address, attributes, declared } = resource;
  const fields = new Map(effectiveFields(configuration, address).map((field) => [field.path, field]));
  const location = locationText(resource.location, configuration);
  const { project } = attributes;
  return {
    organization: configuration.desired.organization,
    name,
    address,
    project: project === undefined ? undefined : aliasOf(configuration.aliases, 'projects', project),
    tags: declaredEntries(attributes.tags),
    protect: declared?.protect === true,
    attributes,
    location,
    managed: (path) => {
      const value = attributes[path];
      if (value !== undefined) return value as never;
      throw new AttuneError(`${address} does not manage ${path}: the live value can be any`, {
        code: 'unmanaged',
        hint: `declare ${path} at ${location}, in a template or in defaults`,
      });
    },
    origin: (path) => originText(fields.get(path), configuration),
  };
}

export function testedGrant(resource: GrantResource, configuration: Configuration): TestedGrant {
  const { name, address, attributes, location } = resource;
  const { access, project, team, ...permissions } = attributes;
  return {
    organization: configuration.desired.organization,
    name,
    address,
    project: aliasOf(configuration.aliases, 'projects', project),
    team: aliasOf(configuration.aliases, 'teams', team),
    // Revoked grants are left out.
    access: access as AccessLevel,
    permissions: permissions as TestedGrant['permissions'],
    location: locationText(location, configuration),
  };
}

function declaredEntries(rule: readonly string[] | ListRule | undefined): readonly string[] {
  if (rule === undefined) return [];
  if (isRecord(rule as Value)) {
    const { exactly, add } = rule as {
      readonly exactly?: readonly string[];
      readonly add?: readonly string[];
    };
    return exactly ?? add ?? [];
  }
  return rule as readonly string[];
}

function originText(field: EffectiveField | undefined, configuration: Configuration): string | undefined {
  return field && !field.removedBy ? locationText(field.origin.location, configuration) : undefined;
}

function locationText(location: SourceLocation | undefined, { file }: Configuration): string {
  return location ? `${location.file}:${location.line}:${location.column}` : file;
}
