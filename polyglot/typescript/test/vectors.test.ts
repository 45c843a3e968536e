import assert from "node:assert/strict";
import { test } from "node:test";
import { allVectors, differs } from "./vectorfiles.js";
import { verdict } from "./vectors.js";

const vectors = allVectors();
const list = differs();

test("the vectors are there", () => {
  assert.ok(vectors.length >= 300, `only ${vectors.length} vectors`);
});

test("what is listed as one that differs is a vector", () => {
  for (const [file, names] of Object.entries(list.vectors)) {
    for (const name of names) {
      assert.equal(vectors.filter((v) => v.file === file && v.name === name).length, 1, `${file}: ${name}`);
    }
  }
});

for (const file of new Set(vectors.map((v) => v.file))) {
  test(`vectors of ${file}`, async (t) => {
    for (const v of vectors.filter((one) => one.file === file)) {
      await t.test(v.name, () => assert.equal(verdict(v, list), undefined));
    }
  });
}
