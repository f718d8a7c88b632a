import { expect, test } from 'vitest';
import { printedProblems } from './printed-problems.ts';

const eleven = Array.from({ length: 11 }, (_, index) => `k${index}: x`).join(', ');

test('keys and values of key/value tags that the service refuses are reported at their place', async () => {
  const yaml = `
defaults:
  workspace: {tag-bindings: {team a: x}}
projects:
  shop: {name: Shop, manage: true, tag-bindings: {hc:owner: x}}
workspaces:
  app:
    tag-bindings:
      add: {env: "", note: "50 %", both: x}
      remove: [both]
  web: {tag-bindings: {exactly: {IBM:x: null}}}
`;
  expect(await printedProblems({ yaml })).toBe(
    `
attune.yaml:4:30: error[bad-tag-binding]: "team a" cannot be the key of a tag
  4 |   workspace: {tag-bindings: {team a: x}}
    |                              ^
  hint: use 1 to 128 letters, digits, and _ . = + - @ :
attune.yaml:6:51: error[bad-tag-binding]: the key "hc:owner" has a prefix that the service reserves
  6 |   shop: {name: Shop, manage: true, tag-bindings: {hc:owner: x}}
    |                                                   ^
  hint: use a key without the prefix "hc:", "hcp:" or "ibm:"
attune.yaml:10:13: error[bad-tag-binding]: the key "env" has an empty value
  10 |       add: {env: "", note: "50 %", both: x}
     |             ^
  hint: write null for a key without a value
attune.yaml:10:22: error[bad-tag-binding]: "50 %" cannot be the value of a tag
  10 |       add: {env: "", note: "50 %", both: x}
     |                      ^
  hint: use at most 256 letters, digits, and _ . = + - @ :
attune.yaml:10:36: error[added-and-removed]: the key "both" is both added and removed
  10 |       add: {env: "", note: "50 %", both: x}
     |                                    ^
  hint: remove one of the two entries
attune.yaml:12:34: error[bad-tag-binding]: the key "IBM:x" has a prefix that the service reserves
  12 |   web: {tag-bindings: {exactly: {IBM:x: null}}}
     |                                  ^
  hint: use a key without the prefix "hc:", "hcp:" or "ibm:"
`.trimStart(),
  );
});

test('more key/value tags than the service stores are reported, with those of the layers', async () => {
  const yaml = `
defaults:
  workspace: {tag-bindings: {managed: attune}}
projects:
  shop: {name: Shop, manage: true, tag-bindings: {${eleven}}}
workspaces:
  app: {tag-bindings: {${eleven.replace(', k10: x', '')}}}
  web: {tag-bindings: {exactly: {${eleven.replace(', k10: x', '')}}}}
`;
  expect(await printedProblems({ yaml })).toBe(
    `
attune.yaml:6:36: error[too-many-tag-bindings]: 11 key/value tags are declared, and the service stores 10
  6 |   shop: {name: Shop, manage: true, tag-bindings: {k0: x, k1: x, k2: x, k3: x, k4: x, k5: x, k6: x, k...
    |                                    ^
  hint: remove some, here or in a layer
attune.yaml:8:9: error[too-many-tag-bindings]: 11 key/value tags are declared, and the service stores 10
  8 |   app: {tag-bindings: {k0: x, k1: x, k2: x, k3: x, k4: x, k5: x, k6: x, k7: x, k8: x, k9: x}}
    |         ^
  hint: remove some, here or in a layer
`.trimStart(),
  );
});

test('a tag beside exactly, add or remove is reported with the place where it belongs', async () => {
  const yaml = `
workspaces:
  a: {tag-bindings: {add: {team: web}, env: prod}}
  b: {tag-bindings: {exactly: {team: web}, env: prod}}
`;
  expect(await printedProblems({ yaml })).toBe(
    `
attune.yaml:4:40: error[wrong-type]: unknown key "env" in a mapping that changes tag-bindings
  4 |   a: {tag-bindings: {add: {team: web}, env: prod}}
    |                                        ^
  hint: write exactly, add or remove; a tag is one level deeper: "add: {env: ...}"
attune.yaml:5:44: error[wrong-type]: unknown key "env" in a mapping that changes tag-bindings
  5 |   b: {tag-bindings: {exactly: {team: web}, env: prod}}
    |                                            ^
  hint: write exactly, add or remove; a tag is one level deeper: "exactly: {env: ...}"
`.trimStart(),
  );
});
