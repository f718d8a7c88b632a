import type { ParseResult } from '@marcbachmann/cel-js';
import { innerNodes, type Node } from './meter.ts';
import { type FieldSpec, policyTypes } from './subjects.ts';

/** A comparison of an alias with a constant. The files choose aliases, so they can avoid it. */
export interface AliasUse {
  /** The field, as `grant.team`. */
  readonly field: string;
  /** What to write instead. */
  readonly hint: string;
  readonly offset: number;
}

/** The comparisons of an expression, and whether it selects workspaces, which have names and not aliases. */
export interface AliasUses {
  readonly selectsWorkspaces: boolean;
  /** @param isWorkspace whether the other expression of the policy selects workspaces */
  readonly in: (isWorkspace: boolean) => readonly AliasUse[];
}

/** A node that the library has checked, or a part of it. */
type Checked = Node & { readonly start: number; readonly checkedType?: { readonly name: string } };

/** The comparisons of aliases with constants in a checked expression. */
export function aliasUsesOf({ ast }: ParseResult): AliasUses {
  const root = ast as unknown as Checked;
  return {
    selectsWorkspaces: isOnly(workspaces, root),
    in: (isWorkspace) => {
      const uses = new Map<number, AliasUse>();
      visit(root, { isWorkspace, isProject: false }, (use) => uses.set(use.offset, use));
      return [...uses.values()];
    },
  };
}

/** What is known where a part of an expression matters. */
interface Known {
  /** The change is of a workspace. */
  readonly isWorkspace: boolean;
  /** The field is the project. */
  readonly isProject: boolean;
}

function visit(node: Checked, known: Known, add: (use: AliasUse) => void): void {
  const constants = constantsComparedIn(node);
  for (const alias of constants.length > 0 ? aliasesComparedIn(node) : []) {
    const { isAlias = () => true, ...use } = alias;
    const isName =
      (known.isWorkspace && use.field.startsWith('change.')) ||
      (!known.isProject && use.field.startsWith('field.'));
    if (!isName && constants.some(isAlias)) add(use);
  }
  const inner = innerNodes(node) as Checked[];
  for (const [index, one] of inner.entries()) {
    const isWorkspace = known.isWorkspace || isWithin(workspaces, node, index, inner);
    const isProject = known.isProject || isWithin(projectFields, node, index, inner);
    visit(one, { isWorkspace, isProject }, add);
  }
}

/** A part of the changes, or of their fields. */
interface Part {
  /** Whether the operands of an equation select it. */
  readonly selects: (sides: readonly Checked[]) => boolean;
  /** Whether the call of a method selects it. */
  readonly calls: (call: Checked) => boolean;
}

const workspaces: Part = { selects: comparesWorkspaceKind, calls: isWorkspaceAddress };
const projectFields: Part = { selects: comparesProjectPath, calls: () => false };

/** Whether an inner node matters for a part only. */
function isWithin(part: Part, node: Checked, index: number, [first]: readonly Checked[]): boolean {
  switch (node.op) {
    case '&&':
      return isOnly(part, node);
    case '||':
      return isTrueForOthers(part, node);
    case '?:':
      return (
        first !== undefined &&
        (index === 1 ? isOnly(part, first) : index === 2 && isTrueForOthers(part, first))
      );
    case 'rcall':
      return first !== undefined && index > 0 && isListOf(part, first);
    default:
      return false;
  }
}

const comparisons: ReadonlySet<string> = new Set(['==', '!=', 'in', '<', '<=', '>', '>=']);
/** They give a default to a missing value. */
const defaults: ReadonlySet<unknown> = new Set(['orValue', 'or']);

/** The constants that a node compares with something: an operand, an argument of a method, or the keys of a mapping. */
function constantsComparedIn(node: Checked): readonly string[] {
  const { op, args } = node;
  if (comparisons.has(op)) return (args as Checked[]).flatMap(constantsOf);
  if (op === '[]' || op === '[?]') return constantsOf((args as Checked[])[0] as Checked);
  if (op !== 'rcall' || defaults.has((args as unknown[])[0])) return [];
  const [, receiver, inner] = args as readonly [string, Checked, readonly Checked[]];
  // The names of an alias in a list are compared inside of a loop.
  return receiver.op === 'list' || isAliasList(receiver)
    ? inner.flatMap(anyConstantIn)
    : inner.flatMap(constantsOf);
}

function aliasesComparedIn({ op, args }: Checked): readonly FoundAlias[] {
  const nodes = args as readonly Checked[];
  if (op === 'rcall') return aliasesIn(nodes[1] as Checked);
  if (op === '[]' || op === '[?]') return typeof nodes[1] === 'object' ? aliasesIn(nodes[1]) : [];
  return nodes.flatMap(aliasesIn);
}

function constantsOf({ op, args }: Checked): readonly string[] {
  if (op === 'value') return typeof args === 'string' ? [args] : [];
  if (op === 'list' || op === '+') return (args as Checked[]).flatMap(constantsOf);
  if (op === '?:') return (args as Checked[]).slice(1).flatMap(constantsOf);
  if (op === 'map')
    return (args as readonly (readonly Checked[])[]).flatMap(([key]) => (key ? constantsOf(key) : []));
  return [];
}

function anyConstantIn(node: Checked): readonly string[] {
  return [...constantsOf(node), ...(innerNodes(node) as Checked[]).flatMap(anyConstantIn)];
}

interface FoundAlias extends AliasUse {
  /** Whether a constant can be an alias: the kind in an address is none. */
  readonly isAlias?: (constant: string) => boolean;
}

/** The aliases in the value of a node. */
function aliasesIn(node: Checked): readonly FoundAlias[] {
  const found = aliasOf(node);
  if (found) return [found];
  const { op } = node;
  if (comparisons.has(op) || ['&&', '||', '!_', 'id', 'value'].includes(op)) return [];
  return (innerNodes(node) as Checked[]).flatMap(aliasesIn);
}

function aliasOf(node: Checked): FoundAlias | undefined {
  const { holder, field } = accessOf(node) ?? {};
  const type = holder?.checkedType?.name;
  if (holder === undefined || field === undefined || type === undefined) return undefined;
  const fields: Readonly<Record<string, FieldSpec>> | undefined =
    policyTypes[type as keyof typeof policyTypes];
  const spec = fields && Object.hasOwn(fields, field) ? fields[field] : undefined;
  if (spec?.instead === undefined) return undefined;
  return {
    field: `${type.toLowerCase()}.${field}`,
    hint: spec.instead,
    offset: node.start,
    ...(field === 'address' && {
      isAlias: (constant: string) =>
        !/^\W*workspace\b/.test(constant) && /\w/.test(constant.replaceAll(/\b(team-access|project)\b/g, '')),
    }),
  };
}

/** The field that a node reads, and of what. */
function accessOf({ op, args }: Checked): { readonly holder: Checked; readonly field: string } | undefined {
  if (!['.', '.?', '[]', '[?]'].includes(op)) return undefined;
  const [holder, key] = args as readonly [Checked, Checked | string];
  const field = typeof key === 'string' ? key : key.op === 'value' ? key.args : undefined;
  return typeof field === 'string' ? { holder, field } : undefined;
}

function isAliasList(node: Checked): boolean {
  return aliasOf(node) !== undefined && node.checkedType?.name.startsWith('list') === true;
}

/** Whether a condition holds for a part only. */
function isOnly(part: Part, node: Checked): boolean {
  const nodes = node.args as Checked[];
  switch (node.op) {
    case '&&':
      return nodes.some((one) => isOnly(part, one));
    case '||':
      return nodes.every((one) => isOnly(part, one));
    case '!_':
      return isTrueForOthers(part, node.args as Checked);
    case 'rcall':
      return part.calls(node);
    default:
      return ['==', 'in'].includes(node.op) && part.selects(nodes);
  }
}

/** Whether a condition holds for everything else. */
function isTrueForOthers(part: Part, node: Checked): boolean {
  const nodes = node.args as Checked[];
  switch (node.op) {
    case '&&':
      return nodes.every((one) => isTrueForOthers(part, one));
    case '||':
      return nodes.some((one) => isTrueForOthers(part, one));
    case '!_':
      return isOnly(part, node.args as Checked);
    default:
      return node.op === '!=' && part.selects(nodes);
  }
}

/** Whether the operands of a comparison are the path of a field and `project`, or a list that has it. */
function comparesProjectPath(sides: readonly Checked[]): boolean {
  const isPath = (side: Checked) => {
    const { holder, field } = accessOf(side) ?? {};
    return field === 'path' && holder?.checkedType?.name === 'Field';
  };
  return sides.some(isPath) && sides.flatMap(constantsOf).includes('project');
}

/** Whether the operands of a comparison are the kind of a change and `workspace`, also as the only entry of a list. */
function comparesWorkspaceKind(sides: readonly Checked[]): boolean {
  return sides.some((side) => accessOf(side)?.field === 'kind') && sides.some(isWorkspaceConstant);
}

function isWorkspaceConstant({ op, args }: Checked): boolean {
  if (op === 'value') return (args as unknown) === 'workspace';
  const [only, ...others] = op === 'list' ? (args as Checked[]) : [];
  return only !== undefined && others.length === 0 && isWorkspaceConstant(only);
}

function isWorkspaceAddress({ args }: Checked): boolean {
  const [method, receiver, inner] = args as readonly [string, Checked, readonly Checked[]];
  const [start = ''] = inner.flatMap(constantsOf);
  return method === 'startsWith' && accessOf(receiver)?.field === 'address' && start.startsWith('workspace.');
}

/** Whether a list has only what belongs to a part. */
function isListOf(part: Part, { op, args }: Checked): boolean {
  if (op !== 'rcall') return false;
  const [method, receiver, inner] = args as readonly [string, Checked, readonly Checked[]];
  const [, condition] = inner;
  return (
    method === 'filter' && (isListOf(part, receiver) || (condition !== undefined && isOnly(part, condition)))
  );
}
