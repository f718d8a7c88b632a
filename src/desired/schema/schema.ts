import type { ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { readPackageFile } from '../../model/package-files.ts';

export const schemaFile = 'schemas/attune.schema.json';

export type FileRole = 'root' | 'included' | 'policy-file';
export type SchemaError = ErrorObject;
export type Validator = ValidateFunction;

export interface Member {
  readonly container?: object;
  readonly key?: string | number;
  readonly value: unknown;
  /** Where the key itself is wrong: the key of its mapping. */
  readonly holder?: string;
  readonly owner?: { readonly mapping: Record<string, unknown>; readonly key: string } | undefined;
}

export const entrySections = ['templates', 'workspaces', 'team-access'] as const;
export type EntrySection = (typeof entrySections)[number];

export const schemaParts = {
  root: 'attune',
  included: 'attune#/$defs/included-file',
  'policy-file': 'attune#/$defs/policy-file',
  templates: 'attune#/$defs/templates',
  workspaces: 'attune#/$defs/workspaces',
  'team-access': 'attune#/$defs/team-access',
} as const satisfies Record<FileRole | EntrySection, string>;

export type Validators = Readonly<Record<keyof typeof schemaParts, Validator>>;

export const ajvOptions: Options = {
  // Shorter code, which starts faster.
  inlineRefs: false,
  // The tests check that the schema is valid; this need not be repeated at every start.
  meta: false,
  validateSchema: false,
  allErrors: true,
  // Errors contain their part of the schema: its title and keys are used in messages.
  verbose: true,
  allowUnionTypes: true,
  strictTypes: false,
  strictRequired: false,
  // For editors (yaml-language-server); messages show errorMessage, too.
  keywords: ['errorMessage'],
};

let loaded: Promise<Validators> | undefined;

/**
 * The published schema as functions, once per process: as the build compiled them, or compiled now without a
 * build (slower).
 */
export function loadValidators(): Promise<Validators> {
  loaded ??= import('./compiled-schema.js').then((compiled) => compiled.default, compileNow);
  return loaded;
}

async function compileNow(): Promise<Validators> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020(ajvOptions);
  ajv.addSchema(JSON.parse(readPackageFile(schemaFile)), 'attune');
  const validators = Object.entries(schemaParts).map(([part, $ref]) => [part, ajv.compile({ $ref })]);
  return Object.fromEntries(validators);
}
