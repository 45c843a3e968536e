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
const args = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: [name, ...args], returnOnExit: true });
const imports = wasi.getImportObject();

// node:wasi does not wait for a pipe, and fails with EAGAIN where nothing has come
// yet or where there is no room: the streams of Node read and write instead.
let input = Buffer.alloc(0);
if (args.length === 0) {
  const chunks = [];
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
  }
  input = Buffer.concat(chunks);
}
const { fd_read, fd_write } = imports.wasi_snapshot_preview1;
imports.wasi_snapshot_preview1.fd_read = (fd, list, count, done) =>
  fd === 0 ? transfer(list, count, done, take) : fd_read(fd, list, count, done);
imports.wasi_snapshot_preview1.fd_write = (fd, list, count, done) => {
  const stream = { 1: process.stdout, 2: process.stderr }[fd];
  return stream ? transfer(list, count, done, (bytes) => give(stream, bytes)) : fd_write(fd, list, count, done);
};

// Moves bytes from or into each buffer of a list in the program's memory.
function transfer(list, count, done, move) {
  const memory = new DataView(instance.exports.memory.buffer);
  let moved = 0;
  for (let i = 0; i < count; i++) {
    const [at, length] = [memory.getUint32(list + 8 * i, true), memory.getUint32(list + 8 * i + 4, true)];
    moved += move(new Uint8Array(memory.buffer, at, length));
  }
  memory.setUint32(done, moved, true);
  return 0;
}

function take(bytes) {
  const taken = input.subarray(0, bytes.length);
  bytes.set(taken);
  input = input.subarray(taken.length);
  return taken.length;
}

function give(stream, bytes) {
  stream.write(bytes.slice());
  return bytes.length;
}

const module = await WebAssembly.compile(await readFile(new URL(`${name}.wasm`, import.meta.url)));
const instance = await WebAssembly.instantiate(module, imports);
process.exitCode = wasi.start(instance);
