// A cart with jayson, which fails with the error object that is the name of the article.
// With the argument 1 it speaks JSON-RPC 1.0. It prints its port.
import jayson from "jayson";

const version = process.argv[2] === "1" ? 1 : 2;
const server = new jayson.Server(
  {
    "shop.v1.Cart/Get"({ sku }, callback) {
      if (sku === "throw") {
        callback(new Error("cannot reach 10.0.0.7"));
      } else if (sku.startsWith("{")) {
        callback(JSON.parse(sku));
      } else {
        callback(null, { sku, qty: 1 });
      }
    },
  },
  { version },
);
const http = server.http().listen(0, "127.0.0.1", () => console.log(http.address().port));
