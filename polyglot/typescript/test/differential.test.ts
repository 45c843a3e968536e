// Random errors in every form and under every profile, the inputs of the vectors, and
// altered ones of both, in every form, against what the Go program makes of them. As many
// as ERRMAP_DIFFERENCES says, and ERRMAP_SEED which.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { tryParse } from "../src/jsontree.js";
import { profileNames, Random, type Sample, sample, tampered } from "./random.js";
import { allVectors } from "./vectorfiles.js";
import { difference, translate, type Vector } from "./vectors.js";

const binary = process.env["ERRMAP"] ?? fileURLToPath(new URL("../../../../.build/errmap", import.meta.url));
const count = Number(process.env["ERRMAP_DIFFERENCES"] ?? 3000);
const seed = Number(process.env["ERRMAP_SEED"] ?? 1);

const targets = [
  ...["connect", "grpc", "status", "http", "problem"].map((to) => ({ to, toProfile: "generic" })),
  ...profileNames.map((toProfile) => ({ to: "jsonrpc", toProfile })),
];

function cases(): Vector[] {
  const r = new Random(seed);
  const vectors = allVectors().filter((v) => v.input.length < 4000);
  return Array.from({ length: count }, (_, i) => {
    let s: Sample = r.roll(4) === 0 ? r.pick(vectors) : sample(r);
    if (r.roll(5) < 2) {
      s = tampered(r, s);
    }
    const name = `${i}`;
    return { ...s, ...r.pick(targets), name, file: "", httpStatus: r.pick([0, 0, 404, 503, 410]), output: undefined, outputHttpStatus: 0, notes: undefined };
  });
}

test("TypeScript makes of errors what Go makes of them", { skip: existsSync(binary) ? false : `${binary} is not built`, timeout: 600_000 }, async () => {
  const all = cases();
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
    const want = tryParse(line);
    const output = want.get("output");
    const refused = want.get("error").exists;
    const say = (what: string): void => {
      wrong.push(`${v.name}: ${v.from} ${v.fromProfile} to ${v.to} ${v.toProfile} at ${v.httpStatus}: ${v.input}\n${what}`);
    };
    try {
      const got = translate(v);
      const expected = { ...v, output: output.isString ? output.text : output.compact, outputHttpStatus: want.get("http_status").int ?? 0 };
      const different = refused ? `got ${got.output}, want a failure: ${line}` : difference(expected, got);
      if (different !== undefined) {
        say(different);
      } else if (want.get("notes").exists !== got.notes.length > 0) {
        say(`notes ${JSON.stringify(got.notes)}, want ${want.get("notes").raw || "none"}`);
      }
    } catch (cause) {
      const name = cause instanceof Error ? cause.name : "";
      if (!refused || (name !== "FormError" && name !== "OkError")) {
        say(`threw ${cause instanceof Error ? cause.stack : String(cause)}, want ${line}`);
      }
    }
  }
  assert.equal(wrong.length, 0, `${wrong.length} of ${all.length} differ:\n${wrong.slice(0, 5).join("\n\n")}`);
});
