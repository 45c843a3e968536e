// The package in a browser: bundled as a user bundles it, in headless Chromium, against
// the Go server.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server as HttpServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { startServer } from "./server.js";
import { allVectors, vectorFiles } from "./vectorfiles.js";

const limit = 60_000;

const browser = [process.env["CHROMIUM"], "chromium", "chromium-browser", "google-chrome"].find(
  (name) => name !== undefined && spawnSync(name, ["--version"]).status === 0,
);

test("the package runs in a browser", { skip: browser === undefined ? "no Chromium: install it, or name it in CHROMIUM" : false, timeout: 2 * limit }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "errmap-browser-"));
  const page = join(folder, "page");
  await build({
    entryPoints: [fileURLToPath(new URL("./browser/page.js", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    outfile: join(page, "page.js"),
    logLevel: "error",
  });
  writeFileSync(join(page, "index.html"), '<!doctype html><meta charset="utf-8"><title>errmap</title><script type="module" src="page.js"></script>');
  writeFileSync(join(page, "vectors.json"), JSON.stringify(vectorFiles()));
  const server = await startServer("-files", page);
  const { listener, result } = await report();
  const address = listener.address();
  assert.ok(typeof address === "object" && address !== null);
  const child = spawn(
    browser as string,
    [
      ...["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", `--user-data-dir=${join(folder, "profile")}`],
      `${server.url}/files/index.html?report=http://127.0.0.1:${address.port}/`,
    ],
    { stdio: "ignore", detached: true }, // in a group, whose processes all write to the profile
  );
  try {
    const { passed, failures } = JSON.parse(await Promise.race([result, ended(child)])) as { passed: number; failures: string[] };
    assert.deepEqual(failures, []);
    assert.ok(passed >= allVectors().length, `only ${passed} checks`);
  } finally {
    server.close();
    listener.close();
    listener.closeAllConnections();
    if (child.exitCode === null && child.pid !== undefined) {
      process.kill(-child.pid, "SIGKILL");
      await once(child, "exit");
      await gone(child.pid);
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
});

// report is where the page tells what failed.
async function report(): Promise<{ listener: HttpServer; result: Promise<string> }> {
  let tell: (body: string) => void = () => undefined;
  const result = new Promise<string>((resolve) => (tell = resolve));
  const listener = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      response.end();
      tell(body);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return { listener, result };
}

function ended(child: ChildProcess): Promise<never> {
  return new Promise((_, reject) => {
    child.once("exit", (code) => reject(new Error(`the browser ended with ${code ?? "a signal"}`)));
    setTimeout(() => reject(new Error("the browser did not report in time")), limit).unref();
  });
}

// gone waits until no process of a group is left.
async function gone(group: number): Promise<void> {
  for (let i = 0; i < 100; i++) {
    try {
      process.kill(-group, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
