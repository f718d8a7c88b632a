import pLimit from 'p-limit';
import type { WorkspaceResource } from '../model/state.ts';
import { listTexts, type Value } from '../model/value.ts';
import {
  type SeparateRelation,
  type SeparateValue,
  separateReadings,
  separateRelations,
} from '../relations/relations.ts';
import { whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import type { ResourceObject } from '../service/documents.ts';
import { grantsOf, readList } from '../service/paging.ts';

/** Live values that no list of the organization contains: each of them needs a separate request. */
export interface DetailReads {
  /** A relation of a workspace, by its id; `undefined` if the service lacks the feature. */
  relation(path: SeparateRelation, workspace: string): Promise<SeparateValue | undefined>;
  /** The grants of a project, by its id; `undefined` if the service has no team access. */
  grants(project: string): Promise<readonly ResourceObject[] | undefined>;
}

export function serviceDetails(reader: ServiceReader): DetailReads {
  return {
    relation: (path, workspace) => separateReadings[path].read(reader, workspace),
    grants: (project) => whereOffered(reader, 'team-access', () => readList(reader, grantsOf(project))),
  };
}

/** A read that waits for its turn takes 5 kB, and runs over many organizations need thousands of them. */
const atATime = 50;

export function readDetails(
  details: DetailReads,
  isWanted: (path: SeparateRelation, workspace: WorkspaceResource) => boolean,
  workspaces: readonly WorkspaceResource[],
  names: Map<string, string>,
): Promise<readonly WorkspaceResource[]> {
  const limit = pLimit(atATime);
  return Promise.all(
    workspaces.map((workspace) => {
      const wanted = separateRelations.filter(
        (path) => isWanted(path, workspace) && separateReadings[path].isNeeded(workspace.attributes),
      );
      return wanted.length === 0 ? workspace : limit(() => withDetails(details, wanted, workspace, names));
    }),
  );
}

async function withDetails(
  details: DetailReads,
  wanted: readonly SeparateRelation[],
  workspace: WorkspaceResource,
  names: Map<string, string>,
): Promise<WorkspaceResource> {
  const { id = '', attributes } = workspace;
  const found = await Promise.all(
    wanted.map(async (path): Promise<(readonly [string, Value])[]> => {
      const answer = await details.relation(path, id);
      for (const [other, name] of answer?.names ?? []) if (!names.has(other)) names.set(other, name);
      return answer === undefined ? [] : [[path, answer.value]];
    }),
  );
  return { ...workspace, attributes: { ...attributes, ...Object.fromEntries(found.flat()) } };
}

interface Kept {
  readonly kind: SeparateRelation | 'grants';
  readonly id: string;
  readonly value: SeparateValue | readonly ResourceObject[];
  readonly readAt: number;
  readonly reading: number;
}

/**
 * Keeps relations of workspaces and grants over several readings of the same organization, so that a reading requests
 * only a part of them. The oldest are read again first, in a number that follows the time since the last reading: the
 * requests spread evenly over the readings. Times are in milliseconds; of the present time only differences count.
 */
export function createRollingReads({ maxAge, now }: { readonly maxAge: number; readonly now: () => number }) {
  const kept = new Map<string, Kept>();
  let reading = 0;
  let begunAt: number | undefined;
  /** How many values the time since the last reading allows to read again; fractions are carried over. */
  let share = 0;
  let due: ReadonlySet<Kept> = new Set();
  let used = new Set<Kept>();

  const read = async <Value extends Kept['value']>(
    kind: Kept['kind'],
    id: string,
    request: () => Promise<Value | undefined>,
  ) => {
    const key = `${kind} ${id}`;
    const known = kept.get(key);
    if (known && !due.has(known)) {
      used.add(known);
      return known.value as Value;
    }
    const readAt = now();
    const value = await request();
    if (value === undefined) kept.delete(key);
    else {
      const one = { kind, id, value, readAt, reading };
      kept.set(key, one);
      used.add(one);
    }
    return value;
  };

  /** Returns whether the current reading used any of what is dropped: what was derived from it has to be derived again. */
  const drop = (isDropped: (one: Kept) => boolean) => {
    const dropped = [...kept].filter(([, one]) => isDropped(one));
    for (const [key] of dropped) kept.delete(key);
    return dropped.some(([, one]) => used.has(one));
  };
  const isEarlier = (one: Kept) => one.reading !== reading;

  return {
    /** Begins a reading, and selects what it requests again. */
    begin() {
      const oldestFirst = [...kept.values()].sort((a, b) => a.readAt - b.readAt);
      const elapsed = begunAt === undefined ? 0 : now() - begunAt;
      begunAt = now();
      reading += 1;
      used = new Set();
      share = Math.min(oldestFirst.length, share + (oldestFirst.length * elapsed) / maxAge);
      const count = Math.floor(share);
      share -= count;
      due = new Set(oldestFirst.filter(({ readAt }, index) => index < count || now() - readAt >= maxAge));
    },
    over: (details: DetailReads): DetailReads => ({
      relation: (path, id) => read(path, id, () => details.relation(path, id)),
      grants: (id) => read('grants', id, () => details.grants(id)),
    }),
    /** Drops what earlier readings have kept about these workspaces and projects, by id. */
    recheck: (ids: readonly string[]) => drop((one) => isEarlier(one) && ids.includes(one.id)),
    recheckAll: () => drop(isEarlier),
    /** Drops what is kept about these workspaces and projects. */
    written: (ids: readonly string[]) => drop(({ id }) => ids.includes(id)),
    /** Drops the consumer lists that contain these workspaces, which were renamed or deleted. */
    gone: (ids: readonly string[]) =>
      drop(
        ({ value }) => 'value' in value && listTexts(value.value).some((consumer) => ids.includes(consumer)),
      ),
    /** Ends a complete reading, and drops what it did not need. */
    end: () => drop((one) => !used.has(one)),
  };
}

export type RollingReads = ReturnType<typeof createRollingReads>;
