import { isUnder } from '../model/attributes.ts';
import { matchesDeclared } from '../model/declared-selector.ts';
import { showPlace } from '../model/diagnostic.ts';
import type { Field, Layered } from '../model/fields.ts';
import type { Selector } from '../model/selector.ts';
import type { ProjectResource } from '../model/state.ts';
import { quote } from '../model/text.ts';
import { isRecord, type Values } from '../model/value.ts';
import { merges, overlayFields } from './overlay-fields.ts';
import { type Loading, reporter } from './problems.ts';
import type { ReadContext } from './references.ts';

interface SelectingTemplate {
  readonly name: string;
  readonly layered: Layered;
  readonly selector: Selector;
  readonly location: Field['location'];
}

const dependencies: Readonly<Record<keyof Selector, readonly string[]>> = {
  tag: ['tags'],
  project: ['project'],
  name: [],
  except: [],
  // A project hands its key/value tags down.
  tagged: ['tag-bindings', 'project'],
};

/**
 * Selects templates by the layers that have no `when`, so that no selection depends on another one. Values that a selector depends
 * on are errors in these templates, and values of two of them whose order is not declared are errors at both.
 */
export function createSelection(
  templates: readonly SelectingTemplate[],
  { loading, references, projects }: ReadContext & { readonly projects: readonly ProjectResource[] },
) {
  reportDependent(templates, loading);
  const reported = new Set<string>();
  const context = { projects, ignoresLive: true, sameProject: references.sameProject };
  return (name: string, base: Layered, own: Layered): readonly SelectingTemplate[] => {
    if (templates.length === 0) return [];
    const { fields } = overlayFields(base, own);
    const attributes: Values = Object.fromEntries(
      [...fields].flatMap(([path, { value }]) => (value === undefined ? [] : [[path, value]])),
    );
    const selecting = templates.filter(
      (template) =>
        !base.templates.includes(template.name) &&
        matchesDeclared(template.selector, { name, attributes }, context) === 'yes',
    );
    // One that another one extends is part of it.
    const selected = selecting.filter(
      (one) => !selecting.some((other) => other !== one && other.layered.templates.includes(one.name)),
    );
    for (const [index, one] of selected.entries())
      for (const other of selected.slice(index + 1))
        for (const path of conflicts(one.layered, other.layered)) {
          const isOwn = [...own.stops.keys()].some((key) => isUnder(path, key));
          const key = JSON.stringify([one.name, other.name, path]);
          if (isOwn || (own.fields.has(path) && !merges(path)) || reported.has(key)) continue;
          reported.add(key);
          reportConflict([one, other], path, name, loading);
        }
    return selected;
  };
}

function conflicts(one: Layered, other: Layered): readonly string[] {
  const [up, down] = [overlayFields(one, other).fields, overlayFields(other, one).fields];
  const valueIn = (fields: Layered['fields'], path: string) =>
    JSON.stringify(sorted(fields.get(path)?.value));
  return [...new Set([...up.keys(), ...down.keys()])].filter(
    (path) => valueIn(up, path) !== valueIn(down, path),
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(item)).sort();
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, inner]) => [key, sorted(inner)]);
}

function reportConflict(
  [one, other]: readonly [SelectingTemplate, SelectingTemplate],
  path: string,
  workspace: string,
  loading: Loading,
): void {
  const placeOf = ({ layered, location }: SelectingTemplate) =>
    layered.fields.get(path)?.location ?? location;
  for (const [here, there] of [
    [one, other],
    [other, one],
  ] as const)
    reporter(loading).error(
      'layer-conflict',
      `${path} of ${quote(workspace)} differs between the templates ${quote(here.name)} and ${quote(there.name)}, which both select it, also at ${showPlace(placeOf(there))}`,
      placeOf(here),
      'let one of the templates extend the other, or declare the value at the workspace',
    );
}

function reportDependent(templates: readonly SelectingTemplate[], loading: Loading): void {
  for (const { name, layered } of templates)
    for (const [path, { location }] of [...layered.fields, ...layered.stops]) {
      const by = templates.find(({ selector }) => dependsOn(selector, path));
      const whose = by?.name === name ? 'its selector' : `the selector of ${quote(by?.name)}`;
      const message = `a template with "when" cannot set ${quote(path)}: ${whose} depends on it`;
      const hint = 'set it at the workspaces, in the defaults, or in a template that they extend';
      if (by) reporter(loading).error('when-depends', message, location, hint);
    }
}

function dependsOn(selector: Selector, path: string): boolean {
  // A selector with errors can have keys that no selector has.
  const keys = Object.keys(dependencies) as readonly (keyof Selector)[];
  return keys.some((key) => selector[key] !== undefined && dependencies[key].includes(path));
}
