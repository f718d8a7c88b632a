import { isUnder } from '../model/attributes.ts';
import { matchesDeclared } from '../model/declared-selector.ts';
import { showPlace } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { type DeclaredLayers, type Field, type Layered, noLayers } from '../model/fields.ts';
import { mapSelectorProjects, type Selector } from '../model/selector.ts';
import type { ProjectResource } from '../model/state.ts';
import { quote, suggestion } from '../model/text.ts';
import { isRecord, type Value, type Values } from '../model/value.ts';
import type { AllDeclarations, Declaration } from './declarations.ts';
import { merges, overlayFields, readLayer, readUnmanaged } from './overlay-fields.ts';
import { type Loading, reporter } from './problems.ts';
import { readSelector } from './references.ts';
import type { LayerContext } from './rules/field-rules.ts';
import type { RawFile } from './schema/language.ts';
import type { RawLayer } from './schema/layer-schema.ts';

/** Templates are resolved by recursion, so the length of a chain is limited. */
const longestChain = 100;

interface TemplatesContext extends Omit<LayerContext, 'layer'> {
  readonly layered: Map<string, DeclaredLayers>;
  readonly projects: readonly ProjectResource[];
  readonly dialect: Dialect | undefined;
}

interface Templates {
  readonly context: TemplatesContext;
  readonly declared: AllDeclarations['templates'];
  readonly ready: Map<string, Ready | null>;
}

interface Ready extends Pick<DeclaredLayers, 'selects'> {
  readonly layered: Layered;
}

const none: Ready = { layered: noLayers };

export function createLayers(
  defaults: RawFile['defaults'],
  declared: AllDeclarations['templates'],
  context: TemplatesContext,
) {
  const base = readDefaults(defaults, context);
  const templates: Templates = { context, declared, ready: new Map() };
  for (const [name, declaration] of declared) readTemplate(templates, name, declaration);
  const layeredOf = (name: string) => templates.ready.get(name)?.layered ?? noLayers;
  const select = createSelection(
    [...declared.keys()].flatMap((name) => {
      const { selects } = templates.ready.get(name) ?? {};
      return selects ? [{ name, layered: layeredOf(name), ...selects }] : [];
    }),
    context,
  );
  // Many workspaces have the same templates.
  const joined = new Map<string, Layered>();
  const over = (under: Layered, names: readonly string[], key: string) => {
    const known =
      joined.get(key) ?? names.reduce((layered, name) => overlayFields(layered, layeredOf(name)), under);
    joined.set(key, known);
    return known;
  };
  const extendedBy = (workspace: RawLayer) =>
    extendedNames(workspace).flatMap((extended) => {
      if (declared.has(extended.name)) return extended.name;
      reportUnknown(templates, workspace, extended);
      return [];
    });
  return {
    baseOf(workspace: RawLayer): Layered {
      const names = extendedBy(workspace);
      return over(base, names, JSON.stringify(names));
    },
    layersOf(name: string, workspace: RawLayer, own: Layered) {
      const names = extendedBy(workspace);
      const under = over(base, names, JSON.stringify(names));
      const selected = select(name, under, own).map((template) => template.name);
      const all = selected.length > 0 ? over(under, selected, JSON.stringify([names, selected])) : under;
      return { all: overlayFields(all, own), extended: namesOf(workspace), selected };
    },
  };
}

function readDefaults(defaults: RawFile['defaults'], context: TemplatesContext): Layered {
  const layer = defaults?.workspace;
  if (!defaults || !layer) return noLayers;
  const layered = { ...noLayers, fields: readLayer(layer, { ...context, layer: 'defaults' }) };
  const location = context.loading.origins.atKey(defaults, 'workspace');
  context.layered.set('defaults', { ...layered, location, extends: [] });
  return layered;
}

function readTemplate(
  templates: Templates,
  name: string,
  declaration: Declaration<RawLayer>,
  path: readonly string[] = [],
): Ready {
  const known = templates.ready.get(name);
  if (known) return known;
  const layer = declaration.value;
  if (!layer) return none;
  templates.ready.set(name, null);
  const here = [...path, name];
  let layered = noLayers;
  for (const parent of extendedNames(layer)) {
    const next = templates.declared.get(parent.name);
    if (!next) reportUnknown(templates, layer, parent);
    else if (here.includes(parent.name)) reportCycle(templates, layer, { ...parent, path: here });
    else if (here.length >= longestChain) reportTooDeep(templates, declaration);
    else layered = overlayFields(layered, readTemplate(templates, parent.name, next, here).layered);
  }
  const context = { ...templates.context, layer: `template.${name}` } as const;
  const fields = readLayer(layer, context);
  const own = { ...noLayers, fields, stops: readUnmanaged(layer, fields, context), templates: [name] };
  const selects = layer.when && {
    selector: mapSelectorProjects(readSelector(layer.when, context), context.references.sameProject),
    location: context.loading.origins.atKey(layer, 'when'),
  };
  const ready: Ready = { layered: overlayFields(layered, own), selects };
  templates.ready.set(name, ready);
  templates.context.layered.set(`template.${name}`, {
    ...ready.layered,
    location: declaration.location,
    extends: namesOf(layer),
    when: layer.when as unknown as Value | undefined,
    selects,
  });
  return ready;
}

interface Extended {
  readonly name: string;
  readonly index?: number;
}

function namesOf(layer: RawLayer): readonly string[] {
  return extendedNames(layer).map(({ name }) => name);
}

function extendedNames(layer: RawLayer): readonly Extended[] {
  const { extends: names } = layer;
  if (names === undefined) return [];
  return typeof names === 'string' ? [{ name: names }] : names.map((name, index) => ({ name, index }));
}

function extendsPlace({ context }: Templates, layer: RawLayer, { index }: Extended) {
  const { origins } = context.loading;
  return index === undefined
    ? origins.atValue(layer, 'extends')
    : origins.atValue(layer.extends as readonly string[], index);
}

function reportUnknown(templates: Templates, layer: RawLayer, extended: Extended): void {
  const { loading } = templates.context;
  const { error, isLiteral } = reporter(loading);
  const place = extendsPlace(templates, layer, extended);
  const message = `unknown template ${quote(extended.name)}`;
  const hint = () => suggestion(extended.name, templates.declared.keys()) ?? 'declare it under templates';
  if (!isLiteral('the template', extended.name, place) && !loading.incomplete)
    error('unknown-name', message, place, hint);
}

function reportCycle(
  templates: Templates,
  layer: RawLayer,
  cycle: Extended & { readonly path: readonly string[] },
): void {
  const names = [...cycle.path.slice(cycle.path.indexOf(cycle.name)), cycle.name];
  const message = `the template ${quote(cycle.name)} extends itself: ${names.join(' -> ')}`;
  reporter(templates.context.loading).error('template-cycle', message, extendsPlace(templates, layer, cycle));
}

function reportTooDeep(templates: Templates, { location }: Declaration<RawLayer>): void {
  const message = `more than ${longestChain} templates extend one another`;
  const hint = 'extend a list of templates instead of a chain';
  reporter(templates.context.loading).error('file-too-large', message, location, hint);
}

interface SelectingTemplate {
  readonly name: string;
  readonly layered: Layered;
  readonly selector: Selector;
  readonly location: Field['location'];
}

const dependencies: readonly (readonly [key: keyof Selector, paths: readonly string[]])[] = [
  ['tag', ['tags']],
  ['project', ['project']],
  // A project hands its key/value tags down.
  ['tagged', ['tag-bindings', 'project']],
];

/**
 * Selects templates by the layers that have no `when`, so that no selection depends on another one. Values that a selector depends
 * on are errors in these templates, and values of two of them whose order is not declared are errors at both.
 */
function createSelection(
  templates: readonly SelectingTemplate[],
  { loading, references, projects, dialect }: TemplatesContext,
) {
  reportDependent(templates, loading);
  const reported = new Set<string>();
  const context = { projects, dialect, sameProject: references.sameProject };
  return (name: string, base: Layered, own: Layered): readonly SelectingTemplate[] => {
    if (templates.length === 0) return [];
    const { fields } = overlayFields(base, own);
    const attributes: Values = Object.fromEntries(
      [...fields].flatMap(([path, { value }]) => (value === undefined ? [] : [[path, value]])),
    );
    const selecting = templates.filter(
      (template) =>
        !base.templates.includes(template.name) &&
        matchesDeclared(template.selector, { name, attributes }, context),
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
      const by = templates.find(({ selector }) =>
        dependencies.some(([key, paths]) => selector[key] !== undefined && paths.includes(path)),
      );
      const whose = by?.name === name ? 'its selector' : `the selector of ${quote(by?.name)}`;
      const message = `a template with "when" cannot set ${quote(path)}: ${whose} depends on it`;
      const hint = 'set it at the workspaces, in the defaults, or in a template that they extend';
      if (by) reporter(loading).error('when-depends', message, location, hint);
    }
}
