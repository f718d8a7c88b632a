import type { Call } from '../model/plan.ts';
import { idsIn, mapIds } from '../service/call-codec.ts';

/**
 * The placeholder for the id of a workspace or project that the same plan creates. Placeholders are recognized only
 * where ids are: in the path, and in a body where {@link mapIds} finds ids. Texts that a user wrote are never placeholders.
 */
const inPath = /\{((?:workspace|project)\.[A-Za-z0-9_-]+)\}/g;
const whole = /^\{((?:workspace|project)\.[A-Za-z0-9_-]+)\}$/;

export function placeholdersOf({ path, body }: Call): string[] {
  const fromPath = [...path.matchAll(inPath)].map((match) => match[1] ?? '');
  const fromBody = idsIn(body).flatMap((id) => whole.exec(id)?.[1] ?? []);
  return [...fromPath, ...fromBody];
}

export function fillPlaceholders(call: Call, ids: ReadonlyMap<string, string>): Call {
  const path = call.path.replaceAll(inPath, (text, address: string) => ids.get(address) ?? text);
  if (call.body === undefined) return { ...call, path };
  return { ...call, path, body: mapIds(call.body, (id) => ids.get(whole.exec(id)?.[1] ?? '') ?? id) };
}
