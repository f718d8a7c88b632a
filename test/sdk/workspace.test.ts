import { expectTypeOf, test } from 'vitest';
import type { AttributePath, AttributeTable } from '../../src/model/attributes.ts';
import type { WorkspaceSettings } from '../../src/sdk/typed-settings.ts';

type Nested = 'vcs-repo' | 'setting-overwrites';
/** Every writable attribute of the typed document, dotted as in the table. */
type Typed = Required<
  Omit<WorkspaceSettings, Nested> & {
    [Key in keyof NonNullable<WorkspaceSettings['vcs-repo']> as `vcs-repo.${Key}`]: NonNullable<
      WorkspaceSettings['vcs-repo']
    >[Key];
  } & {
    [Key in keyof NonNullable<
      WorkspaceSettings['setting-overwrites']
    > as `setting-overwrites.${Key}`]: boolean;
  }
>;
/** The type of an attribute according to the table. */
type ValueOf<Path extends AttributePath> =
  | (AttributeTable[Path] extends { readonly values: readonly (infer Value)[] }
      ? Value
      : { string: string; boolean: boolean; strings: readonly string[] }[AttributeTable[Path]['type']])
  | (AttributeTable[Path]['nullable'] extends true ? null : never);

test('a typed workspace has the attributes of the table with their types', () => {
  expectTypeOf<keyof Typed>().toEqualTypeOf<AttributePath>();
  expectTypeOf<{ readonly [Path in AttributePath]: Typed[Path] }>().toEqualTypeOf<{
    readonly [Path in AttributePath]: ValueOf<Path>;
  }>();
});
