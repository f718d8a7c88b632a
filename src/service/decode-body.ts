import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { UnknownEncodingError } from './lost-connection.ts';

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const unzip: Decode = promisify(gunzip);
const decoders: Readonly<Record<string, Decode>> = {
  gzip: unzip,
  'x-gzip': unzip,
  br: promisify(brotliDecompress),
  deflate: (bytes, options) =>
    // Some servers send the deflated data without the zlib header (RFC 9110, section 8.4.1.2).
    (((bytes[0] ?? 0) & 0x0f) === 8 ? promisify(inflate) : promisify(inflateRaw))(bytes, options),
  identity: async (bytes) => bytes,
};

/** Undoes the content codings of a body, last one first, and drops a byte order mark. */
export async function decodeBody(
  body: Buffer,
  contentEncoding: string | undefined,
  maxOutputLength: number,
): Promise<string> {
  const codings = (contentEncoding ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  let bytes = body;
  for (const coding of codings.reverse()) {
    if (coding === '' || bytes.length === 0) continue;
    const decode = decoders[coding];
    if (decode === undefined) throw new UnknownEncodingError(coding);
    bytes = await decode(bytes, { maxOutputLength });
  }
  return utf8.decode(bytes);
}

/** Ignores a byte order mark, and does not fail on bytes that are not UTF-8: the JSON parser reports these. */
const utf8 = new TextDecoder('utf-8');
