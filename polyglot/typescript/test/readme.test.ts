// README.md names nothing that the package does not have.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const root = new URL("../../", import.meta.url);
const readme = readFileSync(new URL("README.md", root), "utf8");
const index = readFileSync(new URL("src/index.ts", root), "utf8");
const exported = new Set([...index.matchAll(/\w+/g)].map((m) => m[0]));

test("what the README imports and lists is exported", () => {
  const imported = [...readme.matchAll(/import \{([^}]*)\} from "@errmap\/errmap"/g)].flatMap((m) => (m[1] as string).split(",").map((name) => name.trim()));
  const listed = [...readme.matchAll(/`((?:decode|encode|from|to|profile)[A-Z]\w*)`/g)].map((m) => m[1] as string);
  assert.ok(imported.length > 5 && listed.length > 15, `${imported.length} imported, ${listed.length} listed`);
  assert.deepEqual([...imported, ...listed].filter((name) => !exported.has(name)), []);
});
