/** What `watch` applies: nothing, everything but deletions, or everything. */
export const healModes = ['none', 'update', 'all'] as const;
export type HealMode = (typeof healModes)[number];

export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];
