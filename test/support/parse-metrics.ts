/** The samples of a scrape by name and labels, such as `up{job="a"}`; labels are in the order of the alphabet. */
export type Samples = ReadonlyMap<string, number>;

const name = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const label = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"';
const sampleLine = new RegExp(`^(${name})(?:\\{(${label}(?:,${label})*),?\\})? (\\S+)$`);

/**
 * Parses the text format 0.0.4 of Prometheus strictly: every sample belongs to the metric whose type was given last, no
 * sample occurs twice, and the text ends with a line feed.
 */
export function parseMetrics(text: string): Samples {
  if (!text.endsWith('\n')) throw new Error('the text does not end with a line feed');
  const samples = new Map<string, number>();
  const types = new Map<string, string>();
  let current = '';
  for (const line of text.split('\n')) {
    if (line === '' || new RegExp(`^# HELP ${name} .+$`).test(line)) continue;
    const [, typed, type = ''] = new RegExp(`^# TYPE (${name}) (counter|gauge|histogram)$`).exec(line) ?? [];
    if (typed !== undefined) {
      if (types.has(typed)) throw new Error(`two types of ${typed}`);
      types.set(typed, type);
      current = typed;
      continue;
    }
    const [, sampled = '', labels = '', value = ''] = sampleLine.exec(line) ?? [];
    const family = types.get(current) === 'histogram' ? sampled.replace(/_(bucket|sum|count)$/, '') : sampled;
    if (family !== current || sampled === '') throw new Error(`not a sample of ${current}: ${line}`);
    if (!/^[+-]?(Inf|\d+(\.\d+)?(e[+-]?\d+)?)$|^NaN$/.test(value)) throw new Error(`not a number: ${line}`);
    const sorted = (labels.match(new RegExp(label, 'g')) ?? []).sort().join(',');
    const key = sorted === '' ? sampled : `${sampled}{${sorted}}`;
    if (samples.has(key)) throw new Error(`a second sample of ${key}`);
    samples.set(key, Number(value.replace('Inf', 'Infinity')));
  }
  return samples;
}
