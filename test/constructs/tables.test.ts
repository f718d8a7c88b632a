import { join } from 'node:path';
import * as nodes from 'constructs';
import { stringify } from 'yaml';
import { describeOrganization } from '../../src/constructs/describe-organization.ts';
import * as constructs from '../../src/constructs/index.ts';
import { AttuneError } from '../../src/model/diagnostic.ts';
import { testTextTables } from '../support/text-tables.ts';

const known = { Construct: nodes.Construct, ...constructs };

/** Runs a text of JavaScript with the constructs and other values under their names. */
function evaluated(code: string, values: Readonly<Record<string, unknown>> = {}): unknown {
  const all = { ...known, ...values };
  return new Function(...Object.keys(all), code)(...Object.values(all));
}

testTextTables(join(import.meta.dirname, 'tables'), {
  async programs({ sections: { program = '', props = '{}' } }) {
    try {
      const app = new constructs.App();
      const acme = new constructs.Organization(app, 'acme', evaluated(`return (${props})`) as object);
      evaluated(program, { app, acme });
      const { sections, problems } = describeOrganization(acme, []);
      const { attune: _attune, organization: _organization, ...written } = sections;
      const text = stringify(written, {
        aliasDuplicateObjects: false,
        lineWidth: 0,
        flowCollectionPadding: false,
      });
      return [
        text.trim(),
        ...problems.map(({ code, message, hint }) => `error ${code}: ${message}\n    hint: ${hint}`),
      ].join('\n');
    } catch (error) {
      if (error instanceof AttuneError) return `error ${error.code}: ${error.message}`;
      throw error;
    }
  },
});
