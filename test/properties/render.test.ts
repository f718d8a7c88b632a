import { expect, test } from 'vitest';
import type { Configuration } from '../../src/model/configuration.ts';
import type { Plan } from '../../src/model/plan.ts';
import { renderedYaml } from '../../src/report/resource-text.ts';
import { renderConfiguration } from '../../src/write/render.ts';
import { forAllPairs } from './pairs.ts';
import { configurationFrom } from './scene.ts';

test('a rendered configuration is valid and has the same plan, and renders to itself', () =>
  forAllPairs({ fast: 1, soak: 55 }, async ({ planned, plan, configuration }) => {
    const text = textOf(configuration);
    const { configuration: again, diagnostics } = await configurationFrom(text);
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    if (again === undefined) throw new Error(text);
    expect(textOf(again)).toBe(text);
    expect(changesOf(await plan(again))).toEqual(changesOf(planned));
  }));

function textOf(configuration: Configuration): string {
  return renderedYaml(renderConfiguration(configuration), []);
}

function changesOf({ changes }: Plan) {
  return changes.map(({ address, action, fields, grants, calls, dependsOn }) => ({
    address,
    action,
    fields,
    grants,
    calls,
    dependsOn,
  }));
}
