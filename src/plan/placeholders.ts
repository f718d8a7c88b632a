import type { Call } from '../model/plan.ts';
import { isRecord, type Value } from '../model/value.ts';

/**
 * Stands for the id of a workspace that the same plan creates. It is looked for only where ids stand: in the path, and
 * in the `id` of listed resources. Texts that a user wrote are never read as one.
 */
const inPath = /\{(workspace\.[A-Za-z0-9_-]+)\}/g;
const whole = /^\{(workspace\.[A-Za-z0-9_-]+)\}$/;

/** The addresses of the workspaces whose ids a call needs before it can be sent. */
export function placeholdersOf(call: Call): string[] {
  const fromPath = [...call.path.matchAll(inPath)].map((match) => match[1] ?? '');
  const fromBody = listedIds(call).flatMap((id) => whole.exec(id)?.[1] ?? []);
  return [...fromPath, ...fromBody];
}

/** The call with every placeholder replaced by the id that its creation gave. */
export function fillPlaceholders(call: Call, ids: ReadonlyMap<string, string>): Call {
  const path = call.path.replaceAll(inPath, (text, address: string) => ids.get(address) ?? text);
  if (listedIds(call).length === 0 || !isRecord(call.body)) return { ...call, path };
  const data = (call.body.data as readonly Value[]).map((item) =>
    isRecord(item) ? ({ ...item, id: filled(item.id, ids) } as Value) : item,
  );
  return { ...call, path, body: { ...(call.body as Record<string, Value>), data } };
}

function filled(id: unknown, ids: ReadonlyMap<string, string>): unknown {
  const address = typeof id === 'string' ? whole.exec(id)?.[1] : undefined;
  return (address !== undefined && ids.get(address)) || id;
}

function listedIds({ body }: Call): string[] {
  if (!isRecord(body) || !Array.isArray(body.data)) return [];
  return body.data.flatMap((item: unknown) =>
    isRecord(item) && typeof item.id === 'string' ? [item.id] : [],
  );
}
