import { type ResourceType, resourceTypes } from '../../src/cdktf/places.ts';
import { stackParts, type TerraformExport } from '../../src/cdktf/terraform-document.ts';
import { applyResource } from './apply-resource.ts';
import { documentedResources } from './documented-arguments.ts';
import { planResource } from './plan-resource.ts';
import type { ExchangedObject } from './provider-values.ts';
import { importResource, type ProviderService, readResource } from './read-resource.ts';
import { validateResource } from './validate-resource.ts';

/**
 * Does what `terraform apply` does with the projects and workspaces of an export, without the program, which needs minutes
 * for a thousand workspaces.
 */
export async function applyExport(exported: TerraformExport, service: ProviderService): Promise<void> {
  const ids = new Map<string, string>();
  const { elements } = stackParts(exported);
  const inOrder = resourceTypes.flatMap((type) => elements.filter((element) => element.type === type));
  for (const { type, address, ignoreChanges, importId, body: whole } of inOrder) {
    const { lifecycle: _, ...body } = whole;
    const imported = importId === undefined ? null : await importResource(type, importId, service);
    const prior = imported && (await readResource(type, imported, service));
    const own = configOf(type, withReferences(body, ids));
    const config = prior ? withIgnored(own, prior, ignoreChanges) : own;
    const problems = validateResource(type, documentedResources[type].legacy ? own : config);
    if (problems.length > 0) throw new Error(`${address}: ${problems.join(', ')}`);
    const planned = planResource({ type, prior, proposed: proposedOf(type, config, prior), config });
    const isChanged = JSON.stringify(planned) !== JSON.stringify(prior);
    const state = isChanged ? await applyResource({ type, prior, planned, config }, service) : prior;
    ids.set(address, String(state?.id));
  }
}

function withReferences(body: ExchangedObject, ids: ReadonlyMap<string, string>): ExchangedObject {
  const text = JSON.stringify(body).replaceAll(
    /\$\{([\w.-]+)\.id\}/g,
    (_, address) => ids.get(address) ?? '',
  );
  return JSON.parse(text.replaceAll('$${', '${').replaceAll('%%{', '%{'));
}

/** With null for what is omitted. */
function configOf(type: ResourceType, body: ExchangedObject): ExchangedObject {
  const { arguments: documented, blocks = {} } = documentedResources[type];
  const complete = (names: object, values: ExchangedObject) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, values[name] ?? null]));
  return {
    ...complete(documented, body),
    ...Object.fromEntries(
      Object.entries(blocks).map(([name, block]) => [
        name,
        ((body[name] ?? []) as readonly ExchangedObject[]).map((one) => complete(block.arguments, one)),
      ]),
    ),
  };
}

function withIgnored(
  config: ExchangedObject,
  prior: ExchangedObject,
  ignored: readonly string[],
): ExchangedObject {
  const result: Record<string, unknown> = { ...config };
  for (const path of ignored) {
    const [, block, inner] = /^(\w+)\[0\]\.(\w+)$/.exec(path) ?? [];
    if (block === undefined || inner === undefined) {
      result[path] = prior[path];
      continue;
    }
    const [own] = result[block] as readonly ExchangedObject[];
    const [before] = prior[block] as readonly (ExchangedObject | undefined)[];
    if (before) result[block] = [{ ...own, [inner]: before[inner] }];
  }
  return result;
}

/** An omitted argument that the service computes keeps its value. */
function proposedOf(
  type: ResourceType,
  config: ExchangedObject,
  prior: ExchangedObject | null,
): ExchangedObject {
  const { arguments: documented } = documentedResources[type];
  const kept = Object.entries(documented).filter(([name, { computed }]) => computed && config[name] === null);
  return { ...config, ...Object.fromEntries(kept.map(([name]) => [name, prior?.[name] ?? null])) };
}
