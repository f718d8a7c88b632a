import pLimit from 'p-limit';
import type { WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import type { SeparateValue } from '../relations/relation.ts';
import { type SeparateRelation, separateReadings, separateRelations } from '../relations/relations.ts';
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
