// No file of the package imports, directly or by way of others, a file that imports it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { posix } from "node:path";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

function importsOf(file: string): string[] {
  const text = readFileSync(src + file, "utf8");
  return [...text.matchAll(/(?:from|import) "(\.[^"]+)\.js"/g)].map((m) => posix.join(posix.dirname(file), (m[1] as string) + ".ts"));
}

test("imports go one way", () => {
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  assert.ok(files.length > 40, `only ${files.length} files`);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) {
      circles.push([...path.slice(at), file].join(" -> "));
      return;
    }
    if (!done.has(file)) {
      importsOf(file).forEach((other) => visit(other, [...path, file]));
      done.add(file);
    }
  };
  files.forEach((file) => visit(file, []));
  assert.deepEqual(circles, []);
});
