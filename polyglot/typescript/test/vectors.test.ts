import assert from "node:assert/strict";
import { test } from "node:test";
import { allVectors } from "./vectorfiles.js";
import { failure } from "./vectors.js";

const vectors = allVectors();

test("the vectors are there", () => {
  assert.ok(vectors.length >= 700, `only ${vectors.length} vectors`);
});

for (const file of new Set(vectors.map((v) => v.file))) {
  test(`vectors of ${file}`, async (t) => {
    for (const v of vectors.filter((one) => one.file === file)) {
      await t.test(v.name, () => assert.equal(failure(v), undefined));
    }
  });
}
