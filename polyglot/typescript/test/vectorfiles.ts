// Where the vectors are.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Vector, vectorsOf } from "./vectors.js";

const folder = new URL("../../../../errmap/errmaptest/testdata/vectors/", import.meta.url);

/** vectorFiles returns the content of every file, by name. */
export function vectorFiles(): Record<string, string> {
  const files = readdirSync(fileURLToPath(folder)).filter((file) => file.endsWith(".json"));
  return Object.fromEntries(files.sort().map((file) => [file, readFileSync(new URL(file, folder), "utf8")]));
}

/** allVectors returns every vector. */
export function allVectors(): Vector[] {
  return Object.entries(vectorFiles()).flatMap(([file, content]) => vectorsOf(file, content));
}
