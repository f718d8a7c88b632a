import type { Dialect } from '../../model/dialect.ts';
import { permissionPathsOf, permissions } from '../../model/permissions.ts';
import type { Written } from '../../model/plan.ts';
import type { Value, Values } from '../../model/value.ts';
import type { ServiceReader } from '../../service/client.ts';
import { asResourceObject, type Document, type ResourceObject, relatedId } from '../../service/documents.ts';
import { pathTo } from '../../service/endpoints.ts';
import { grantsOf, readList } from '../../service/paging.ts';
import { ServiceError } from '../../service/service-error.ts';
import { permissionsFromWire } from '../../service/wire-codec.ts';
import { isGone } from '../read-if-there.ts';
import { compareValues, type Pair, readAnswer } from './compare-answer.ts';
import { type OperationHandler, sendRepeatable, withId } from './operation.ts';
import { readGrant } from './read-values.ts';
import { pickFacts, recheckFacts } from './recheck.ts';

/** Shared by the creation and the update of a grant: one document with the level and its permissions. */
const grantValues = {
  verify({ written, change }, document, dialect) {
    const answered = asResourceObject(document.data);
    return answered ? compareValues(change.address, valuePairs(written, answered, dialect)) : [];
  },
  record({ written }, { data }, dialect) {
    const answered = asResourceObject(data);
    if (!answered) return {};
    const pairs = () => valuePairs(written, answered, dialect).map(([path, , got]) => [path, got] as const);
    return readAnswer(() => Object.fromEntries(pairs()));
  },
} satisfies Partial<OperationHandler>;

export const createGrant: OperationHandler = {
  ...grantValues,
  send: ({ call, written }, { send, reader }) => send(call, { lookUp: () => createdGrant(written, reader) }),
  record: withId(grantValues.record),
};

export const updateGrant: OperationHandler = {
  ...grantValues,
  /** Rechecks permissions that are sent only because another one is. */
  async recheck(prepared, context) {
    const { written, change } = prepared;
    const differs = new Set(change.fields.map(({ path }) => path));
    await recheckFacts(prepared, context, {
      facts: pickFacts(
        change.facts ?? {},
        Object.keys(written.values).filter((path) => !differs.has(path)),
      ),
      read: () => readGrant(prepared, context),
    });
    await context.checkAdmins?.(change);
  },
  send: sendRepeatable,
  read: readGrant,
};

export const deleteGrant: OperationHandler = {
  async recheck(prepared, context) {
    const { exists: _exists, project: _project, team: _team, ...access } = prepared.change.facts ?? {};
    await recheckFacts(prepared, context, { facts: access, read: () => readGrant(prepared, context) });
    await context.checkAdmins?.(prepared.change);
  },
  async send({ call, id }, { send, reader }) {
    const gone = async () => ((await isGone(pathTo('showTeamProject', { id }), reader)) ? {} : undefined);
    try {
      return await send(call, { lookUp: gone });
    } catch (error) {
      // A 404 for a grant that still exists means that the token may not delete it.
      if (error instanceof ServiceError && error.status === 404 && (await gone())) return undefined;
      throw error;
    }
  },
};

/** The grant that the team now has on the project. */
async function createdGrant(
  { values: { project, team } }: Written,
  reader: ServiceReader,
): Promise<{ document: Document } | undefined> {
  const grants = await readList(reader, grantsOf(String(project)));
  const found = grants.find((grant) => relatedId(grant, 'team') === team);
  return found && { document: { data: found } };
}

/** A permission that is not returned has its default (interface, section 2.4). */
function valuePairs({ values }: Written, answered: ResourceObject, dialect: Dialect): Pair[] {
  const { access, ...sent } = values;
  const got: Values = permissionsFromWire(answered.attributes, dialect, answered.id);
  return [
    ['access', access, answered.attributes.access as Value | undefined],
    ...permissionPathsOf(dialect)
      .filter((path) => sent[path] !== undefined)
      .map((path): Pair => {
        const isDefault = sent[path] === permissions[path].customDefault;
        return [path, sent[path], got[path] ?? (isDefault ? sent[path] : undefined)];
      }),
  ];
}
