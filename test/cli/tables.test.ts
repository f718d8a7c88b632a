import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Emulator, EmulatorOptions } from '../../src/emulator/index.ts';
import { folderWith, serviceWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { partialService } from '../support/partial-service.ts';
import { addressed, playScript, type Stage, writeIn } from '../support/play.ts';
import { type TextRow, testTextTables } from '../support/text-tables.ts';

/*
 * What the command line decides: flags, exit codes, streams, files and several root files. A row has files, the seed of a
 * service, and a script of commands, as play.ts describes. A root file `attune.yaml of acme` is given without its first two lines. `seed-west` is the seed of a second service `http://west`. `options` has
 * those of the service, and `env`, `clock`, `columns`, and `differences` from a complete service.
 */
testTextTables(join(import.meta.dirname, 'tables'), play);

type Options = EmulatorOptions & {
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: string;
  readonly columns?: number;
  readonly address?: string;
  readonly differences?: Readonly<Record<string, unknown>>;
};

async function play({ sections }: TextRow): Promise<string> {
  const { result = '', options: given = '{}', ...rest } = sections;
  const {
    env,
    clock = '2026-03-01T00:00:00Z',
    columns,
    address: other,
    differences,
    ...options
  }: Options = parse(given) ?? {};
  const hooks: NonNullable<Stage['hooks']> = {};
  const services: Record<string, Emulator> = {};
  const folder = await folderWith({});
  for (const [title, text] of Object.entries(rest)) {
    const host = /^seed(?:-(.*))?$/.exec(title);
    if (host === null) continue;
    const log: EmulatorOptions['log'] = ({ method }) => hooks.onRequest?.(method);
    services[host[1] ?? 'service'] = await serviceWith({ ...options, seed: parse(text) ?? {}, log });
  }
  for (const [title, text] of Object.entries(rest)) {
    if (title.endsWith('/')) mkdirSync(join(folder, title));
    else if (!/^seed(-|$)/.test(title)) writeIn(join(folder, title), addressed(withHead(text), services));
  }
  const partial =
    differences && services.service && (await partialService(services.service.url, patterns(differences)));
  const address = partial ?? other;
  return playScript(result, {
    ...{ folder, services, hooks, address, at: clock, clock: jumpingClock() },
    ...(env && { env }),
    ...(columns !== undefined && { columns }),
  });
}

/** A file with the first two lines of the root file of an organization instead of `of` and its name, in a line or before a comma. */
function withHead(text: string): string {
  return text.replace(/^of ([^\s,]+)(, |\n|$)/, 'attune: 1\norganization: $1\n');
}

/** Texts between slashes are patterns. */
function patterns(value: unknown): never {
  return JSON.parse(JSON.stringify(value), (_, one) => {
    const pattern = typeof one === 'string' ? /^\/(.*)\/$/.exec(one)?.[1] : undefined;
    return pattern === undefined ? one : new RegExp(pattern);
  }) as never;
}
