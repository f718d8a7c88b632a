import type { Loading } from './loading.ts';
import { parseYaml } from './parse-yaml.ts';
import { toPlainData } from './plain-data.ts';
import type { Source } from './source.ts';

/** Any YAML, by way of the library. Undefined where the problems say why there is nothing. */
export function readYaml(source: Source, loading: Loading): unknown {
  const node = parseYaml(source, loading.problems);
  if (!node) return undefined;
  const { data, usable } = toPlainData(node, { ...loading, source });
  return usable ? data : undefined;
}
