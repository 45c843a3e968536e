// The cart of ../gateway/upstreams_test.go with @connectrpc/connect-node, over the server
// that its argument names: http (HTTP/1.1), http2 (h2c), https (HTTP/1.1 with TLS)
// or http2s (HTTP/2 with TLS). It prints its port.
import { readFileSync } from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import { create } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { errorInfo, info, message, registry } from "./upstream-cart.js";

function failure(request) {
  return new ConnectError(message(request), request.qty, undefined, [{ desc: errorInfo, value: create(errorInfo, info(request)) }]);
}

const handler = connectNodeAdapter({
  routes: (router) =>
    router.service(registry.getService("shop.v1.Cart"), {
      get(request) {
        if (request.sku === "die") {
          process.exit(0);
        }
        if (request.qty > 0) {
          throw failure(request);
        }
        return { sku: request.sku, qty: 1n };
      },
      async *watch(request) {
        for (let qty = 0n; qty < 2n; qty++) {
          yield { sku: request.sku, qty };
          if (request.sku === "die") {
            await new Promise((resolve) => setTimeout(resolve, 200));
            process.exit(0);
          }
        }
        throw failure(request);
      },
    }),
});

const secure = () => ({ cert: readFileSync(process.env.UPSTREAM_CERT), key: readFileSync(process.env.UPSTREAM_KEY) });
const servers = {
  http: () => http.createServer(handler),
  http2: () => http2.createServer(handler),
  https: () => https.createServer(secure(), handler),
  http2s: () => http2.createSecureServer(secure(), handler),
};
const server = servers[process.argv[2]]();
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
