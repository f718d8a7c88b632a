import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { EmulatorOptions, Fault } from '../../src/emulator/index.ts';
import { mappingIn, type TextRow, testTextTables } from '../support/text-tables.ts';
import { notices, reported, stage } from './stage.ts';

/*
 * A plan is made from `files`, the lines of `meanwhile` are sent by another user, and the plan is applied, one call at a time. As YAML: `seed`
 * of the organization, `service` with options of the emulator, `files` without the first two lines, `faults`, `options` of the apply.
 *
 * The result is the outcome of each change, diagnostics, waits, and the requests that write; `show all`: the reads, too;
 * `show bodies`: also what was written; `show none`: no request; `show NAME KEY...`: attributes of a live workspace. Requests that are
 * repeated at once are one line.
 */
testTextTables(join(import.meta.dirname, 'tables'), {
  'lost-answers': applied,
  refusals: applied,
  'second-actor': applied,
  sending: applied,
});

interface Options {
  /** How many milliseconds ago the live state was read; null if nothing is known of it. */
  readonly age?: number | null;
  readonly parallelism?: number;
  /** The teams of guards.keep-admin. */
  readonly admins?: readonly string[];
}

async function applied(row: TextRow): Promise<string> {
  const { sections } = row;
  const yaml = (title: string): unknown => parse(mappingIn(row, title));
  const options = yaml('service') as EmulatorOptions;
  const seed = { organization: 'acme', ...(yaml('seed') as object) };
  const on = await stage(stringify(yaml('files')), { ...options, seed });
  for (const request of sections.meanwhile?.trim().split('\n') ?? []) await on.send(request);
  on.service.clearRequests();
  const faults = (sections.faults?.trim().split('\n') ?? []).map(
    (line) => parse(on.withIds(`{${line}}`)) as Fault,
  );
  on.service.setFaults(faults);
  const { age = 0, parallelism = 1, admins } = yaml('options') as Options;
  const result = await on.apply({
    parallelism,
    // Undefined instead of the time of the plan.
    ...({ readAt: age === null ? undefined : on.clock.now() - age } as { readonly readAt: number }),
    ...(admins && { keepAdmin: () => [new Set(admins)] }),
  });
  on.service.setFaults([]);
  const shows = sections.show?.trim().split('\n') ?? [];
  const requests = await (shows.includes('all') ? on.requests() : on.writes());
  const bodies = on.service.requests.filter(({ method }) => method !== 'GET').map(({ body }) => body);
  const live = await on.workspaces();
  const lines = [
    ...reported(result),
    ...notices(result),
    ...(on.clock.slept.length > 0 ? [`waited ${on.clock.slept.join(' ')} ms`] : []),
    ...repeated(
      (shows.includes('none') ? [] : requests).map((request, index) =>
        shows.includes('bodies') && bodies[index] ? `${request} ${JSON.stringify(bodies[index])}` : request,
      ),
    ),
    ...shows.flatMap((show) => {
      const [name = '', ...keys] = show.split(' ');
      if (['all', 'bodies', 'none'].includes(name)) return [];
      const shown = keys.map((key) => `${key}: ${JSON.stringify(live[name]?.[key])}`);
      return `live ${name}: ${live[name] ? shown.join(', ') || 'exists' : 'none'}`;
    }),
  ];
  return on.withNames(lines.join('\n')).replaceAll(/127\.0\.0\.1:\d+/g, '<host>');
}

/** Equal lines that follow each other, as one with their number. */
function repeated(lines: readonly string[]): string[] {
  return lines.flatMap((line, index) => {
    if (line === lines[index - 1]) return [];
    const next = lines.findIndex((other, at) => at > index && other !== line);
    const times = (next < 0 ? lines.length : next) - index;
    return times === 1 ? [line] : [`${line} (${times} times)`];
  });
}
