import { asBindings, isBindingForm, type TagBindings } from '../model/tag-bindings.ts';
import { isRecord, type Value } from '../model/value.ts';

/** Key/value tags of a layer over those of another: a plain mapping adds; any other form replaces them. */
export function overlayBindings(under: Value | undefined, over: Value): Value {
  const below = layeredBindings(under);
  if (below === undefined || isBindingForm(over)) return over;
  const all = { ...below, ...asBindings(over) };
  return isExact(under) ? { exactly: all } : all;
}

/**
 * The declaration of a workspace over a layer that gives exactly these key/value tags. A plain mapping adds to those of
 * layers, so if a layer has a key that the workspace lacks, the mapping is exact.
 */
export function ownBindings(
  bindings: TagBindings,
  under: Value | undefined,
  isDefault: boolean,
): Value | undefined {
  if (under === undefined) return isDefault ? undefined : bindings;
  const below = layeredBindings(under);
  if (below === undefined || Object.keys(below).some((key) => !Object.hasOwn(bindings, key)))
    return isDefault || Object.keys(bindings).length === 0 ? {} : { exactly: bindings };
  const own = Object.entries(bindings).filter(
    ([key, value]) => !Object.hasOwn(below, key) || below[key] !== value,
  );
  return own.length > 0 ? Object.fromEntries(own) : undefined;
}

/** The key/value tags that all of them have and that no layer declares. */
export function commonBindings(
  all: readonly TagBindings[],
  under: Value | undefined,
): TagBindings | undefined {
  const [first = {}, ...others] = all;
  const below = layeredBindings(under) ?? {};
  const common = Object.entries(first).filter(
    ([key, value]) =>
      !Object.hasOwn(below, key) &&
      others.every((bindings) => Object.hasOwn(bindings, key) && bindings[key] === value),
  );
  return common.length > 0 ? Object.fromEntries(common) : undefined;
}

/** Whether they are exact for every workspace that takes the layer. */
export function isExact(bindings: Value | undefined): boolean {
  return isRecord(bindings) && isRecord(bindings.exactly);
}

/** The key/value tags of layers; undefined if they change what is below them. */
function layeredBindings(bindings: Value | undefined): TagBindings | undefined {
  if (bindings === undefined) return {};
  if (isRecord(bindings) && isRecord(bindings.exactly)) return asBindings(bindings.exactly as Value);
  return isBindingForm(bindings) ? undefined : asBindings(bindings);
}
