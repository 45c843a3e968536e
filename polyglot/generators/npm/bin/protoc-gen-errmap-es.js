#!/usr/bin/env node
// Runs protoc-gen-errmap-es, which is built from Go into WebAssembly and lies
// beside this file.

// Node tells once per process that node:wasi is experimental. protoc and buf show
// all that a plugin writes to standard error.
const emitWarning = process.emitWarning;
process.emitWarning = (warning, ...rest) => {
  const type = typeof rest[0] === "object" ? rest[0]?.type : rest[0];
  if (type !== "ExperimentalWarning") {
    emitWarning.call(process, warning, ...rest);
  }
};

const { readFile } = await import("node:fs/promises");
const { WASI } = await import("node:wasi");

const name = "protoc-gen-errmap-es";
const wasi = new WASI({ version: "preview1", args: [name, ...process.argv.slice(2)], returnOnExit: true });
const module = await WebAssembly.compile(await readFile(new URL(`${name}.wasm`, import.meta.url)));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
