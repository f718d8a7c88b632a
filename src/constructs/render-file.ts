import { dirname, relative, resolve } from 'node:path';
import { Document, isMap, type Node } from 'yaml';
import type { SourceLocation } from '../model/location.ts';
import { isRecord, type Value } from '../model/value.ts';
import type { Description } from './describe-organization.ts';
import { slashed } from './source-location.ts';

const heading = ' Made by a program with attune/constructs. Change the program, and not this file.';

/** The text of a root file for `path`. The same description gives the same bytes. */
export function renderFile({ sections, places, problems }: Description, path: string): string {
  const from = (file: string) => slashed(relative(dirname(path), resolve(file)));
  const placed = ({ construct, file, line, column }: SourceLocation) => ({
    construct,
    file: from(file),
    line,
    column,
  });
  const synthesized = {
    places: Object.fromEntries(
      [...places].sort(([a], [b]) => (a < b ? -1 : 1)).map(([pointer, place]) => [pointer, placed(place)]),
    ),
    ...(problems.length > 0 && {
      problems: problems.map(({ location, ...problem }) => ({ ...problem, ...placed(location) })),
    }),
  };
  const document = new Document(
    { ...sections, ...serviceSection(sections.service, from), synthesized },
    { aliasDuplicateObjects: false },
  );
  document.commentBefore = heading;
  oneLineEach(document.getIn(['synthesized', 'places']) as Node);
  return document.toString({ lineWidth: 0 });
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

function oneLineEach(places: Node): void {
  if (isMap(places)) for (const { value } of places.items) if (isMap(value)) value.flow = true;
}
