import type { IncomingMessage } from 'node:http';
import { reject } from './rejection.ts';

/** The largest body that is read: room for a consumer list of 100,000 workspaces. */
const largestBody = 16 * 1024 * 1024;

/** Reads a body to its end. One that is too large is read no further. */
export async function readBody(message: IncomingMessage): Promise<string> {
  if (Number(message.headers['content-length'] ?? 0) > largestBody) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    size += chunk.length;
    if (size > largestBody) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function parseBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw reject(400, 'The body is not JSON.');
  }
}

function tooLarge() {
  return reject(413, `The body is larger than ${largestBody} bytes.`);
}
