// What a cart says, for every library that serves it.
import { readFileSync } from "node:fs";
import { create, createFileRegistry, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

export const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(process.env.UPSTREAM_DESCRIPTORS)));
export const errorInfo = registry.getMessage("google.rpc.ErrorInfo");

// info is the detail of the error that a request asks for.
export function info({ sku }) {
  return { reason: "STOCK_EMPTY", domain: "shop.example.com", metadata: { sku } };
}

export function message({ sku }) {
  return `No ${sku} left: 5 % ünder, "✓"\n`;
}

// status is that error with the bytes of its google.rpc.Status.
export function status(request) {
  const schema = registry.getMessage("google.rpc.Status");
  const detail = { typeUrl: "type.googleapis.com/google.rpc.ErrorInfo", value: toBinary(errorInfo, create(errorInfo, info(request))) };
  const bytes = toBinary(schema, create(schema, { code: request.qty, message: message(request), details: [detail] }));
  return { code: request.qty, message: message(request), bytes };
}
