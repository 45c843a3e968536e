// The cart of ../gateway/upstreams_test.go with @grpc/grpc-js, and with the reflection of
// @grpc/reflection. It is made of the proto files, or with the argument "set" of the
// descriptors that the driver writes, and prints its port.
import { readFileSync } from "node:fs";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";
import { ReflectionService } from "@grpc/reflection";
import { status } from "./upstream-cart.js";

const root = new URL("../../../", import.meta.url).pathname;
const definition =
  process.argv[2] === "set"
    ? loader.loadFileDescriptorSetFromBuffer(readFileSync(process.env.UPSTREAM_DESCRIPTORS), { longs: Number })
    : loader.loadSync("shop/v1/cart.proto", {
        longs: Number,
        includeDirs: ["internal/testproto", "proto", "third_party/googleapis"].map((dir) => root + dir),
      });

function failure(request) {
  const metadata = new grpc.Metadata();
  const { code, message, bytes } = status(request);
  metadata.set("grpc-status-details-bin", Buffer.from(bytes));
  return { code, details: message, metadata };
}

const server = new grpc.Server();
server.addService(grpc.loadPackageDefinition(definition).shop.v1.Cart.service, {
  Get({ request }, callback) {
    if (request.sku === "die") {
      process.exit(0);
    }
    callback(request.qty > 0 ? failure(request) : null, { sku: request.sku, qty: 1 });
  },
  async Watch(call) {
    for (let qty = 0; qty < 2; qty++) {
      call.write({ sku: call.request.sku, qty });
      if (call.request.sku === "die") {
        await new Promise((resolve) => setTimeout(resolve, 200));
        process.exit(0);
      }
    }
    call.emit("error", failure(call.request));
  },
});
new ReflectionService(definition, { services: ["shop.v1.Cart"] }).addToServer(server);
server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) {
    throw error;
  }
  console.log(port);
});
