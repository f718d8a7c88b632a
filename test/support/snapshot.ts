const workspace = (name: string, tags: readonly string[] = []) => ({
  kind: 'workspace',
  address: `workspace.${name}`,
  name,
  id: `ws-${name}`,
  attributes: { tags },
});
/** The text of a snapshot with workspaces of these names. */
export const snapshot = (...names: string[]) =>
  `${JSON.stringify(
    {
      format: 'attune.snapshot/1',
      organization: 'acme',
      address: 'embedded',
      dialect: 'iac',
      consumersOf: [],
      retentionOf: [],
      projects: [],
      names: {},
      resources: names.map((name) => workspace(name, ['prod', name])),
    },
    null,
    2,
  )}\n`;
