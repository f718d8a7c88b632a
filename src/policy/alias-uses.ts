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
    selectsWorkspaces: conjunctsOf(root).some(isWorkspaceTest),
    in: (isWorkspace) => {
      const uses = new Map<number, AliasUse>();
      visit(root, isWorkspace, (use) => uses.set(use.offset, use));
      return [...uses.values()];
    },
  };
}

function visit(node: Checked, isWorkspace: boolean, add: (use: AliasUse) => void): void {
  const constants = constantsComparedIn(node);
  for (const alias of constants.length > 0 ? aliasesComparedIn(node) : []) {
    const { isAlias = () => true, ...use } = alias;
    const ofWorkspaces = isWorkspace && use.field.startsWith('change.');
    if (!ofWorkspaces && constants.some(isAlias)) add(use);
  }
  const inner = innerNodes(node) as Checked[];
  const [first] = inner;
  const isSelected =
    isWorkspace ||
    (node.op === '&&' && conjunctsOf(node).some(isWorkspaceTest)) ||
    (node.op === '||' && disjunctsOf(node).some(isOtherKindTest));
  const isThen = node.op === '?:' && first !== undefined && conjunctsOf(first).some(isWorkspaceTest);
  for (const [index, one] of inner.entries()) visit(one, isSelected || (isThen && index === 1), add);
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
  /** Whether a constant can be an alias; the start of an address is none. */
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
      isAlias: (constant: string) => /^(team-access|project)\.[^*]/.test(constant),
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

function conjunctsOf(node: Checked): readonly Checked[] {
  return node.op === '&&' ? (node.args as Checked[]).flatMap(conjunctsOf) : [node];
}

function disjunctsOf(node: Checked): readonly Checked[] {
  return node.op === '||' ? (node.args as Checked[]).flatMap(disjunctsOf) : [node];
}

function isWorkspaceTest(node: Checked): boolean {
  return isKindTest(node, '==');
}

function isOtherKindTest(node: Checked): boolean {
  return isKindTest(node, '!=');
}

/** Whether a node compares the kind of a change with `workspace`. */
function isKindTest({ op, args }: Checked, operator: string): boolean {
  if (op !== operator) return false;
  const sides = args as readonly Checked[];
  return (
    sides.some((side) => accessOf(side)?.field === 'kind') &&
    sides.some(({ op: one, args: value }) => one === 'value' && value === 'workspace')
  );
}
