import type { Call } from '../model/plan.ts';
import { isRecord, type Value } from '../model/value.ts';

/**
 * The placeholder for the id of a workspace or project that the same plan creates. Placeholders are recognized only
 * where ids are: in the path, in the `id` of listed resources, and in the project of a body. Texts that a user wrote
 * are never placeholders.
 */
const inPath = /\{((?:workspace|project)\.[A-Za-z0-9_-]+)\}/g;
const whole = /^\{((?:workspace|project)\.[A-Za-z0-9_-]+)\}$/;

/** The addresses of the resources whose ids a call needs before it can be sent. */
export function placeholdersOf(call: Call): string[] {
  const fromPath = [...call.path.matchAll(inPath)].map((match) => match[1] ?? '');
  const fromBody = idsIn(call).flatMap((id) => whole.exec(id)?.[1] ?? []);
  return [...fromPath, ...fromBody];
}

/** The call with every placeholder replaced by the id of the created resource. */
export function fillPlaceholders(call: Call, ids: ReadonlyMap<string, string>): Call {
  const path = call.path.replaceAll(inPath, (text, address: string) => ids.get(address) ?? text);
  if (placeholdersOf(call).length === 0 || !isRecord(call.body)) return { ...call, path };
  const { data } = call.body;
  const filledData = Array.isArray(data)
    ? data.map((item) => (isRecord(item) ? { ...item, id: filled(item.id, ids) } : item))
    : withProject(data, ids);
  return { ...call, path, body: { ...call.body, data: filledData } as Value };
}

function withProject(data: unknown, ids: ReadonlyMap<string, string>): unknown {
  const project = projectOf(data);
  if (!isRecord(data) || !isRecord(data.relationships) || project === undefined) return data;
  const related = { ...project, id: filled(project.id, ids) };
  return { ...data, relationships: { ...data.relationships, project: { data: related } } };
}

function projectOf(data: unknown): Readonly<Record<string, unknown>> | undefined {
  const relationships = isRecord(data) ? data.relationships : undefined;
  const project = isRecord(relationships) ? relationships.project : undefined;
  return isRecord(project) && isRecord(project.data) ? project.data : undefined;
}

function filled(id: unknown, ids: ReadonlyMap<string, string>): unknown {
  const address = typeof id === 'string' ? whole.exec(id)?.[1] : undefined;
  return (address !== undefined && ids.get(address)) || id;
}

/** The ids in a body that may be placeholders. */
function idsIn({ body }: Call): string[] {
  const data = isRecord(body) ? body.data : undefined;
  const holders = Array.isArray(data) ? data : [projectOf(data)];
  return holders.flatMap((item: unknown) => (isRecord(item) && typeof item.id === 'string' ? [item.id] : []));
}
