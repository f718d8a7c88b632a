const workspace = (name: string) => ({
  kind: 'workspace',
  address: `workspace.${name}`,
  name,
  id: `ws-${name}`,
  attributes: { tags: ['prod', name] },
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
      resources: names.map(workspace),
    },
    null,
    2,
  )}\n`;
