import type { Fields } from '../fields.ts';
import type { Problem } from '../problems.ts';
import { conflictPlace, type Rule } from './rule.ts';

/** The rules of the interface for execution modes, agent pools and the flags of `setting-overwrites`. */
export const executionRules: readonly Rule[] = [
  ({ fields }) => {
    const operations = fields.get('operations');
    const mode = fields.get('execution-mode');
    if (!operations || !mode) return undefined;
    const { location, see } = conflictPlace(operations, mode);
    return {
      code: 'operations-with-execution-mode',
      message: `"operations" cannot be combined with "execution-mode"; ${see}`,
      hint: 'remove operations, which is deprecated',
      location,
    };
  },
  ({ fields }) => {
    const pool = fields.get('agent-pool-id');
    if (!pool || pool.value === null || inheritsMode(fields) || inheritsPool(fields)) return undefined;
    const mode = fields.get('execution-mode');
    const operations = fields.get('operations');
    const cause =
      mode?.value === 'remote' || mode?.value === 'local'
        ? { field: mode, text: `execution-mode ${mode.value}` }
        : operations?.value === true
          ? { field: operations, text: 'operations: true' }
          : undefined;
    if (!cause) return undefined;
    const { location, see } = conflictPlace(pool, cause.field);
    return {
      code: 'agent-pool-mode',
      message: `"agent-pool-id" cannot be combined with ${cause.text}; ${see}`,
      hint: 'write execution-mode: agent, or remove the pool (agent-pool-id: null if a layer names one)',
      location,
    };
  },
  ({ fields }) => {
    const mode = fields.get('execution-mode');
    const pool = fields.get('agent-pool-id');
    if (mode?.value !== 'agent' || inheritsMode(fields)) return undefined;
    // A pool that is there but wrong was reported; with the flag off it is the organization's.
    if (pool && pool.value !== null) return undefined;
    if (fields.get('setting-overwrites.agent-pool')?.value === false) return undefined;
    return {
      code: 'agent-pool-missing',
      message: 'execution-mode: agent requires "agent-pool-id"',
      hint: 'set agent-pool-id to an alias under agent-pools, a name or an id',
      location: mode.location,
    };
  },
  ({ fields }) => {
    const flag = fields.get('setting-overwrites.execution-mode');
    if (flag?.value !== true || fields.has('execution-mode')) return undefined;
    return {
      code: 'overwrites-need-mode',
      message: 'setting-overwrites.execution-mode: true requires "execution-mode"',
      hint: 'add execution-mode; it is sufficient without the flag',
      location: flag.location,
    };
  },
  // Layers override each other, so a flag and the value that it makes meaningless are of one layer here.
  ({ fields }) =>
    inheritsMode(fields)
      ? ignored({ path: 'execution-mode', flag: 'execution-mode', code: 'ignored-execution-mode' }, fields)
      : inheritsPool(fields)
        ? ignored({ path: 'agent-pool-id', flag: 'agent-pool', code: 'ignored-agent-pool' }, fields)
        : undefined,
];

function ignored(
  { path, flag, code }: Readonly<Record<'path' | 'flag' | 'code', string>>,
  fields: Fields,
): Problem | undefined {
  const field = fields.get(path);
  if (field?.value === undefined || field.value === null) return undefined;
  return {
    severity: 'warning',
    code,
    message: `"${path}" is ignored: setting-overwrites.${flag}: false selects the default of the project, else the organization's`,
    hint: 'remove one of the two',
    location: field.location,
  };
}

function inheritsMode(fields: Fields): boolean {
  return fields.get('setting-overwrites.execution-mode')?.value === false;
}

function inheritsPool(fields: Fields): boolean {
  return fields.get('setting-overwrites.agent-pool')?.value === false;
}
