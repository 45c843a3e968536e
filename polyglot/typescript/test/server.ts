// The Go server that the tests of clients run against.

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Cart } from "./gen/shop/v1/cart_pb.js";

const binary = process.env["ERRMAP_TESTSERVER"] ?? fileURLToPath(new URL("../../../../.build/testserver", import.meta.url));

export interface Server {
  readonly url: string;
  close(): void;
}

/** startServer runs the server; it ends when its standard input does. */
export async function startServer(...args: string[]): Promise<Server> {
  const child: ChildProcess = spawn(binary, args, { stdio: ["pipe", "pipe", "inherit"] });
  const url = await new Promise<string>((resolve, reject) => {
    child.once("error", (cause) => reject(new Error(`${binary} does not run: build it with make test-typescript`, { cause })));
    child.once("exit", (code) => reject(new Error(`${binary} ended with ${code ?? "a signal"}`)));
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).once("line", resolve);
    }
  });
  return { url, close: () => child.stdin?.end() };
}

/** transports are the protocols of Connect for a server. */
export function transports(baseUrl: string): Record<string, Transport> {
  return {
    "Connect with JSON": createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
    "Connect with binary": createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: true }),
    "Connect over HTTP/2": createConnectTransport({ baseUrl, httpVersion: "2" }),
    gRPC: createGrpcTransport({ baseUrl }),
    "gRPC-Web": createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
  };
}

export function cart(transport: Transport) {
  return createClient(Cart, transport);
}

/** caught returns what a promise is rejected with. */
export async function caught(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (reason) {
    return reason;
  }
  throw new Error("the call did not fail");
}
