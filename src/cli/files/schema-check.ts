import { readFileSync } from 'node:fs';

/** What a published schema says against a document; nothing where it holds. */
export type SchemaCheck = (document: unknown) => readonly string[];

/**
 * Opens a schema of `schemas/`.
 *
 * @returns the check of one of its definitions
 */
export async function openSchema(name: string): Promise<(definition: string) => SchemaCheck> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  const ajv = new Ajv2020({ allowUnionTypes: true });
  const file = new URL(`../../../schemas/${name}.schema.json`, import.meta.url);
  ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')), name);
  return (definition) => {
    const validate = ajv.compile({ $ref: `${name}#/$defs/${definition}` });
    return (document) =>
      validate(document)
        ? []
        : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`);
  };
}
