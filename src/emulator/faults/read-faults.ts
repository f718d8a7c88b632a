import { AttuneError } from '../../model/attune-error.ts';
import { readRegularFile } from '../../model/files.ts';
import { isRecord } from '../../model/value.ts';
import { type Fault, faultKinds } from './fault.ts';

/**
 * The faults cannot be used. The message tells which and why.
 *
 * @example
 * ```ts
 * import { FaultError, startEmulator } from 'attune/emulator';
 *
 * const error = await startEmulator({ faults: 'faults.yaml' }).catch((reason: unknown) => reason);
 * console.log(error instanceof FaultError && error.code); // bad-faults
 * ```
 */
export class FaultError extends AttuneError {
  override readonly name = 'FaultError';
  override readonly code = 'bad-faults';
}

const fields = {
  kind: 'string',
  method: 'string',
  path: 'string',
  nth: 'number',
  times: 'number',
  status: 'number',
  reset: 'number',
  detail: 'string',
  ms: 'number',
} as const satisfies Record<keyof Fault, 'string' | 'number'>;

/** Reads faults from a YAML or JSON file: a list, or a mapping with a list under `faults`. */
export async function readFaultFile(path: string): Promise<readonly Fault[]> {
  const text = await readRegularFile(path).catch((cause) => {
    throw new FaultError(`The faults ${path} cannot be read: ${cause.message}`, { cause });
  });
  const { parse } = await import('yaml');
  let data: unknown;
  try {
    data = parse(text);
  } catch (cause) {
    throw new FaultError(`${path}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  return readFaults(data ?? [], path);
}

/** @param source names the data in errors */
export function readFaults(data: unknown, source: string): readonly Fault[] {
  const list = isRecord(data) ? data.faults : data;
  if (!Array.isArray(list)) throw new FaultError(`${source}: faults must be a list`);
  return list.map((entry: unknown, index) => readFault(entry, `${source}: faults.${index}`));
}

function readFault(entry: unknown, place: string): Fault {
  if (!isRecord(entry)) throw new FaultError(`${place} must be a mapping`);
  for (const [key, value] of Object.entries(entry)) {
    const type = Object.entries(fields).find(([known]) => known === key)?.[1];
    if (!type)
      throw new FaultError(`${place}.${key} is not a known key; known are ${Object.keys(fields).join(', ')}`);
    if (typeof value !== type) throw new FaultError(`${place}.${key} must be a ${type}`);
  }
  const kind = faultKinds.find((known) => known === entry.kind);
  if (!kind) throw new FaultError(`${place}.kind must be one of ${faultKinds.join(', ')}`);
  return { ...entry, kind };
}
