import assert from "node:assert/strict";
import { test } from "node:test";
import { allVectors, difference, translate } from "./vectors.js";

const vectors = allVectors();

test("the vectors are there", () => {
  assert.ok(vectors.length >= 300, `only ${vectors.length} vectors`);
});

const files = new Set(vectors.map((v) => v.file));
for (const file of files) {
  test(`vectors of ${file}`, async (t) => {
    for (const v of vectors.filter((one) => one.file === file)) {
      await t.test(v.name, () => {
        if (v.output === undefined) {
          assert.throws(() => translate(v), (e) => e instanceof Error && (e.name === "FormError" || e.name === "OkError"));
          return;
        }
        assert.equal(difference(v, translate(v)), undefined);
      });
    }
  });
}
