import { join } from 'node:path';
import * as nodes from 'constructs';
import { stringify } from 'yaml';
import { describeOrganization } from '../../src/constructs/describe-organization.ts';
import * as constructs from '../../src/constructs/index.ts';
import { AttuneError } from '../../src/model/diagnostic.ts';
import { isRecord } from '../../src/model/value.ts';
import { testTextTables } from '../support/text-tables.ts';

const known = { Construct: nodes.Construct, ...constructs };

/** Runs a text of JavaScript with the constructs and other values under their names. */
function evaluated(code: string, values: Readonly<Record<string, unknown>> = {}): unknown {
  const all = { ...known, ...values };
  return new Function(...Object.keys(all), code)(...Object.values(all));
}

/** A section of a file in one line, or in one for each of its entries. */
function linesOf(name: string, section: unknown): string[] {
  const line = entryText(name, section);
  if (line.length <= 120 || !isRecord(section)) return [line];
  return [`${name}:`, ...Object.entries(section).map((entry) => `  ${entryText(...entry)}`)];
}

function entryText(name: string, value: unknown): string {
  const options = { aliasDuplicateObjects: false, lineWidth: 0, flowCollectionPadding: false } as const;
  return stringify({ [name]: value }, { ...options, collectionStyle: 'flow' })
    .trim()
    .slice(1, -1);
}

testTextTables(join(import.meta.dirname, 'tables'), {
  async programs({ sections: { program = '', props = '{}' } }) {
    try {
      const app = new constructs.App();
      const acme = new constructs.Organization(app, 'acme', evaluated(`return (${props})`) as object);
      evaluated(program, { app, acme });
      const { sections, problems } = describeOrganization(acme);
      const { attune: _attune, organization: _organization, ...written } = sections;
      return [
        ...Object.entries(written).flatMap(([name, section]) => linesOf(name, section)),
        ...problems.map(({ code, message, hint }) => `error ${code}: ${message}\n    hint: ${hint}`),
      ].join('\n');
    } catch (error) {
      if (error instanceof AttuneError) return `error ${error.code}: ${error.message}`;
      throw error;
    }
  },
});
