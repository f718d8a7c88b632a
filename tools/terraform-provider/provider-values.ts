import { decode, ExtData, encode } from '@msgpack/msgpack';

/** A value as Terraform and a provider exchange it. */
export type Exchanged = unknown;
export type ExchangedObject = Readonly<Record<string, Exchanged>>;

/** Known only after it is applied. */
export const unknownValue = new ExtData(0, new Uint8Array([0]));

export function isUnknown(value: Exchanged): boolean {
  return value instanceof ExtData;
}

export function fromWire(value: { readonly msgpack: Uint8Array } | null): ExchangedObject | null {
  return value ? (decode(value.msgpack) as ExchangedObject | null) : null;
}

export function toWire(value: Exchanged): { readonly msgpack: Uint8Array } {
  return { msgpack: Buffer.from(encode(value)) };
}

/** What the older kit takes for absent. */
export function isEmpty(value: Exchanged): boolean {
  return (
    value === null ||
    value === undefined ||
    value === '' ||
    value === false ||
    value === 0 ||
    (Array.isArray(value) && value.length === 0)
  );
}
