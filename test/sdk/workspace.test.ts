import { expectTypeOf, test } from 'vitest';
import type { AttributePath } from '../../src/model/attribute-values.ts';
import type { WorkspaceSettings } from '../../src/sdk/typed-settings.ts';

type Nested = 'vcs-repo' | 'setting-overwrites';
type KeysIn<Holder extends Nested> = `${Holder}.${keyof NonNullable<WorkspaceSettings[Holder]> & string}`;

test('a typed workspace has the attributes of the table', () => {
  expectTypeOf<
    Exclude<keyof WorkspaceSettings, Nested> | KeysIn<'vcs-repo'> | KeysIn<'setting-overwrites'>
  >().toEqualTypeOf<AttributePath>();
});
