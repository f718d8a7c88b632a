import { dirname, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { printPlace } from '../desired/files/synthesized.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { slashed } from '../model/files.ts';
import { isRecord, type Value } from '../model/value.ts';
import type { Description } from './describe-organization.ts';

const heading = '# Made by a program with attune/constructs. Change the program, and not this file.\n';

/** The text of a root file for `path`. The same description gives the same bytes. */
export function renderFile({ sections, places, problems }: Description, path: string): string {
  const from = (file: string) => slashed(relative(dirname(path), resolve(file)));
  const place = (location: SourceLocation) => printPlace({ ...location, file: from(location.file) });
  const sorted = [...places].sort(([a], [b]) => (a < b ? -1 : 1));
  const synthesized = {
    places: Object.fromEntries(sorted.map(([pointer, location]) => [pointer, place(location)])),
    ...(problems.length > 0 && {
      problems: problems.map(({ location, ...problem }) => ({ ...problem, place: place(location) })),
    }),
  };
  const data = { ...sections, ...serviceSection(sections.service, from), synthesized };
  return heading + stringify(data, { aliasDuplicateObjects: false, lineWidth: 0 });
}

/** The program's paths are from the working folder, and a root file's from its own. */
function serviceSection(service: Value | undefined, from: (file: string) => string): object {
  if (!isRecord(service)) return {};
  const { data = service.address === 'embedded' ? '.attune/embedded.json' : undefined, seed } = service;
  return {
    service: {
      ...service,
      ...(typeof data === 'string' && { data: from(data) }),
      ...(typeof seed === 'string' && { seed: from(seed) }),
    },
  };
}
