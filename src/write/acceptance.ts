import type { Live } from '../live/read-live.ts';
import type { AcceptedField } from '../model/accept-result.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import type { Change } from '../model/change.ts';
import { aliasOf, type Configuration } from '../model/configuration.ts';
import type { Edit } from './edit-yaml.ts';
import { createNotices } from './notices.ts';

/** What an acceptance is made from. */
export interface AcceptContext {
  /** With names resolved. */
  readonly configuration: Configuration;
  readonly live: Live;
  /** Whether a field of an address is accepted. */
  readonly chosen: (address: string, path: string) => boolean;
  /** The text of each file, by its path relative to the folder of the root file. */
  readonly texts: ReadonlyMap<string, string>;
}

/** What is written for one resource. */
export interface Acceptance {
  readonly address: string;
  readonly fields: readonly AcceptedField[];
  /** The edits that declare the live values, in a form that no layer changes. */
  readonly edits: readonly Edit[];
}

/** Why a difference cannot be accepted. */
export interface Unacceptable {
  readonly address: string;
  readonly reason: string;
  readonly hint: string;
  /** The address of the live resource that it probably is. */
  readonly livesAs?: string;
}

export type Accepting = Acceptance | Unacceptable;

export function isUnacceptable(accepting: Accepting): accepting is Unacceptable {
  return 'reason' in accepting;
}

/** How the value of a live resource is stated for an edit: by aliases of the files, else by ids. */
export function statingBy({ aliases }: Configuration) {
  const aliasFor = (kind: AliasKind, id: string) => aliasOf(aliases, kind, id);
  return {
    aliases: { aliasOf: aliasFor, use: aliasFor, idOf: () => undefined, added: () => new Map() },
    notices: createNotices(),
    full: false,
  } as const;
}

export function chosenFields({ address, fields }: Change, { chosen }: AcceptContext): Change['fields'] {
  return fields.filter(({ path }) => chosen(address, path));
}
