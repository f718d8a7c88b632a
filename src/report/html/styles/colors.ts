/** The colours of both schemes. A test holds every pair of text and ground against WCAG AA. */
export const colors = {
  light: {
    ground: '#ffffff',
    raised: '#f5f7fa',
    line: '#d5dbe3',
    strong: '#7c8796',
    text: '#1b2430',
    muted: '#566171',
    link: '#0a53a8',
    'focus-ring': '#0a53a8',
    gain: '#0f6130',
    'gain-ground': '#e3f6e8',
    loss: '#a31125',
    'loss-ground': '#fdeaea',
    change: '#754c00',
    'change-ground': '#fdf3d8',
    warning: '#8f3a00',
    'warning-ground': '#ffeedd',
    note: '#0a4f8f',
    'note-ground': '#e7f1fb',
    edge: '#a3adba',
  },
  dark: {
    ground: '#0f141b',
    raised: '#181f28',
    line: '#313b48',
    strong: '#7a8696',
    text: '#e5eaf0',
    muted: '#a0abb9',
    link: '#82b9ff',
    'focus-ring': '#82b9ff',
    gain: '#77d993',
    'gain-ground': '#12291a',
    loss: '#ff9c98',
    'loss-ground': '#331719',
    change: '#e6bd5c',
    'change-ground': '#2c2410',
    warning: '#ffb27a',
    'warning-ground': '#341f0f',
    note: '#8cc4ff',
    'note-ground': '#11263c',
    edge: '#566272',
  },
} as const;

export function colorVariables(scheme: keyof typeof colors): string {
  return Object.entries(colors[scheme])
    .map(([name, color]) => `--${name}:${color}`)
    .join(';');
}
