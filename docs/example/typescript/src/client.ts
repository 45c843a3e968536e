// Asks the server for orders that it does not give, over each wire, and prints the
// errors.

import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { Code, createCatalog, type ErrmapError, fromConnectError, decodeJsonRpc, decodeResponse } from "@errmap/errmap";
import { errors_orders_v1_orders, OrderLockedError, OrderNotFoundError } from "./gen/orders/v1/orders_errmap.js";
import { OrderService } from "./gen/orders/v1/orders_pb.js";

const catalog = createCatalog(errors_orders_v1_orders);

async function overConnect(transport: Transport, orderId: string): Promise<ErrmapError | undefined> {
  try {
    await createClient(OrderService, transport).getOrder({ orderId });
    return undefined;
  } catch (reason) {
    return fromConnectError(reason, { catalog });
  }
}

async function overJsonRpc(url: string, orderId: string): Promise<ErrmapError | undefined> {
  const request = { jsonrpc: "2.0", id: 1, method: "orders.v1.OrderService/GetOrder", params: { orderId } };
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  return decodeJsonRpc(await response.text(), { catalog });
}

function tell(error: ErrmapError | undefined): string {
  if (error instanceof OrderLockedError) {
    const at = `order ${error.orderId} is locked by ${error.holder} at version ${error.version}`;
    return `${at}, retry in ${error.retryDelay} ms (${Code[error.code]}: ${error.message})`;
  }
  if (error instanceof OrderNotFoundError) {
    return `order ${error.orderId} is not there (${Code[error.code]}: ${error.message})`;
  }
  return `unexpected: ${error}`;
}

const url = process.argv[2] ?? "http://127.0.0.1:8080";
for (const id of ["8", "9"]) {
  const connect = createConnectTransport({ baseUrl: url, httpVersion: "1.1" });
  const grpc = createGrpcTransport({ baseUrl: url });
  console.log("connect:", tell(await overConnect(connect, id)));
  console.log("grpc:   ", tell(await overConnect(grpc, id)));
  console.log("jsonrpc:", tell(await overJsonRpc(url, id)));
  console.log("http:   ", tell(await decodeResponse(await fetch(`${url}/v1/orders/${id}`), { catalog })));
}
process.exit(0); // the connections of gRPC stay open
