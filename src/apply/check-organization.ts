import { NoLookUpError, readNames } from '../live/read-names.ts';
import { readSingle } from '../live/read-workspaces.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan } from '../model/plan.ts';
import type { ServiceReader } from '../service/client.ts';
import { callKind } from './call-kind.ts';
import { planAgainHint } from './check-facts.ts';
import { writtenValues } from './written-values.ts';

/**
 * Whether the ids of a plan file belong to its organization and to the names that it shows. Nothing but the service
 * knows: an id says nothing about whose it is.
 */
export async function checkOrganization(plan: Plan, reader: ServiceReader): Promise<Diagnostic[]> {
  const found = await Promise.all([
    ...idsByName(plan).map(async ({ address, name, id }) => {
      const live = await readSingle(reader, plan.organization, name);
      // Whether it is gone is found by the check of the live values.
      return live === undefined || live.id === id ? [] : [otherId(address, `${id} is not the id of ${name}`)];
    }),
    otherProjects(plan, reader),
  ]);
  return found.flat();
}

interface Named {
  readonly address: string;
  readonly name: string;
  readonly id: string;
}

/** Workspaces by the name before the plan. */
function idsByName({ changes }: Plan): Named[] {
  return changes.flatMap(({ address, kind, name, id, facts = {} }) =>
    kind === 'workspace' && id !== undefined ? [{ address, name: String(facts.name ?? name), id }] : [],
  );
}

async function otherProjects({ organization, changes }: Plan, reader: ServiceReader): Promise<Diagnostic[]> {
  const grants = changes.filter(({ kind }) => kind === 'team-access');
  if (grants.length === 0) return [];
  try {
    const projects = new Set((await readNames(reader, organization, 'projects')).map(({ id }) => id));
    return grants.flatMap(({ address, facts }) => {
      const project = String(facts?.project);
      return projects.has(project)
        ? []
        : [otherId(address, `${project} is not a project of ${organization}`)];
    });
  } catch (error) {
    // Some services do not list projects.
    if (error instanceof NoLookUpError) return [];
    throw error;
  }
}

/** The consumers that calls write are those whose names are shown. */
export async function checkConsumerNames(plan: Plan, reader: ServiceReader): Promise<Diagnostic[]> {
  const found = await Promise.all(
    plan.changes.map(async ({ address, fields, calls }) => {
      const field = fields.find(({ path }) => path === 'remote-state-consumers');
      const rules = calls.flatMap((call) => {
        const kind = callKind(call);
        return (kind && writtenValues(kind, call, plan.dialect).consumers) ?? [];
      });
      const sent = rules.flatMap((rule) =>
        'exactly' in rule ? rule.exactly : [...rule.add, ...rule.remove],
      );
      if (field === undefined || sent.length === 0) return [];
      const shown = [field.after, field.add ?? [], field.remove ?? []].flat().map(String);
      const ids = await Promise.all(
        [...new Set(shown)].map(async (name) => {
          const live = await readSingle(reader, plan.organization, name);
          return live?.id ?? name;
        }),
      );
      const known = new Set([...ids, ...shown.map((name) => `{workspace.${name}}`)]);
      const other = sent.filter((id) => !known.has(id));
      return other.map((id) => otherId(address, `${id} is not the id of a consumer that is shown`));
    }),
  );
  return found.flat();
}

function otherId(address: string, why: string): Diagnostic {
  return {
    severity: 'error',
    code: 'plan-differs',
    message: `the plan file contradicts the service: ${address}: ${why}`,
    address,
    hint: planAgainHint,
  };
}
