// Every input of the vectors, and broken ones made of them, in every form, against
// what the Go program makes of it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { compactJson, findMember, objectMembers, stringValue } from "../src/json.js";
import { allVectors, differs } from "./vectorfiles.js";
import { difference, translate, type Vector } from "./vectors.js";

const binary = process.env["ERRMAP"] ?? fileURLToPath(new URL("../../../../.build/errmap", import.meta.url));
const count = Number(process.env["ERRMAP_DIFFERENCES"] ?? 4000);

// A small generator of its own, so that a failure comes again.
function* random(seed: number): Generator<number, never> {
  for (let x = seed; ; ) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    yield x / 2 ** 32;
  }
}

const targets = [
  ...["connect", "grpc", "status", "http", "problem"].map((to) => ({ to, toProfile: "generic" as const })),
  ...(["generic", "a2a", "mcp"] as const).map((toProfile) => ({ to: "jsonrpc", toProfile })),
];

const tokens = ["null", "0", "1.0", "-32001", "9007199254740993", "1e400", '""', '"x"', "[]", "{}", "true", '"\\ud800"', '{"@type":"a"}'];

/** cases crosses inputs with forms, and breaks some inputs. */
function cases(seed: number): Vector[] {
  const next = random(seed);
  const roll = (n: number): number => Math.floor(next.next().value * n);
  const all = allVectors().filter((v) => v.input.length < 4000);
  const pick = <T>(list: readonly T[]): T => list[roll(list.length)] as T;
  return Array.from({ length: count }, (_, i) => {
    const v = pick(all);
    let { input } = v;
    if (roll(2) === 0) {
      const values = [...input.matchAll(/"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d[\d.eE+-]*|true|false|null|\{\}|\[\]/g)];
      const one = values.length > 0 ? pick(values) : undefined;
      if (one !== undefined && v.from !== "grpc") {
        input = input.slice(0, one.index) + pick(tokens) + input.slice(one.index + one[0].length);
      } else {
        const at = roll(input.length);
        input = input.slice(0, at) + pick(["", "A", "%", "=", "\n", "0"]) + input.slice(at + 1);
      }
    }
    const fromProfile = roll(3) === 0 ? pick(["generic", "a2a", "mcp"] as const) : v.fromProfile;
    const httpStatus = pick([0, v.httpStatus, v.httpStatus, 404, 503]);
    return { ...v, ...pick(targets), name: `${i} ${v.file} ${v.name}`, fromProfile, input, httpStatus, notes: undefined };
  });
}

test("TypeScript makes of errors what Go makes of them", { skip: existsSync(binary) ? false : `${binary} is not built` }, async () => {
  const all = cases(Number(process.env["ERRMAP_SEED"] ?? 1));
  const child = spawn(binary, ["convert", "--lines"], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  for (const v of all) {
    const status = v.httpStatus === 0 ? {} : { http_status: v.httpStatus };
    child.stdin.write(JSON.stringify({ from: v.from, to: v.to, from_profile: v.fromProfile, to_profile: v.toProfile, ...status, input: v.input }) + "\n");
  }
  child.stdin.end();
  const wrong: string[] = [];
  for (const v of all) {
    const line = (await lines.next()).value as string;
    const want = objectMembers(compactJson(line, { body: Infinity, depth: Infinity }));
    const output = findMember(want, "output");
    const refused = findMember(want, "error") !== undefined;
    const say = (what: string): void => {
      wrong.push(`${v.name}: ${v.from} ${v.fromProfile} to ${v.to} ${v.toProfile} at ${v.httpStatus}: ${v.input}\n${what}`);
    };
    try {
      const got = translate(v);
      const expected = { ...v, output: stringValue(output) ?? output ?? "", outputHttpStatus: Number(findMember(want, "http_status") ?? 0) };
      const different = refused ? `got ${got.output}, want a failure: ${line}` : difference(expected, got);
      if (different !== undefined) {
        say(different);
      } else if ((findMember(want, "notes") !== undefined) !== got.notes.length > 0) {
        say(`notes ${JSON.stringify(got.notes)}, want ${findMember(want, "notes") ?? "none"}`);
      }
    } catch (cause) {
      const name = cause instanceof Error ? cause.name : "";
      if (!refused || (name !== "FormError" && name !== "OkError")) {
        say(`threw ${String(cause)}, want ${line}`);
      }
    }
  }
  const allowed = ((differs().differential ?? 0) * all.length) / 4000;
  assert.ok(wrong.length <= allowed, `${wrong.length} of ${all.length} differ, and ${allowed} may:\n${wrong.slice(0, 5).join("\n\n")}`);
  assert.ok(allowed === 0 || wrong.length > 0, "none differs: take differential out of differs.json");
});
