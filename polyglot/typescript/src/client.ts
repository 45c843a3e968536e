// Clients of @connectrpc/connect that throw typed errors.

import type { Transport } from "@connectrpc/connect";
import type { CatalogOption } from "./codec.js";
import { fromConnectError } from "./errmapconnect.js";

/**
 * typedErrors returns a transport whose clients throw what fromConnectError makes of an
 * error: of unary calls and of streams, before the first message and between two. What
 * the transport threw is the cause.
 *
 * It is no interceptor: a transport makes a ConnectError of whatever an interceptor throws.
 */
export function typedErrors(transport: Transport, o: CatalogOption = {}): Transport {
  return {
    async unary(method, signal, timeoutMs, header, input, contextValues) {
      try {
        return await transport.unary(method, signal, timeoutMs, header, input, contextValues);
      } catch (reason) {
        throw fromConnectError(reason, { ...o, signal });
      }
    },
    async stream(method, signal, timeoutMs, header, input, contextValues) {
      const typed = (reason: unknown): Error => fromConnectError(reason, { ...o, signal });
      try {
        const response = await transport.stream(method, signal, timeoutMs, header, input, contextValues);
        return { ...response, message: messages(response.message, typed) };
      } catch (reason) {
        throw typed(reason);
      }
    },
  };
}

async function* messages<T>(from: AsyncIterable<T>, typed: (reason: unknown) => Error): AsyncGenerator<T, void, undefined> {
  try {
    yield* from;
  } catch (reason) {
    throw typed(reason);
  }
}

