// The functions of methods that declare their errors.

import assert from "node:assert/strict";
import { it } from "node:test";
import { asErrorOf, decodeStatusJson, encodeStatusJson, type ErrorOf } from "../src/index.js";
import { asCartGetError, type CartGetError, errors_shop_v1_cart, InvalidCartError, PaymentRequiredError, StockEmptyError } from "./gen/shop/v1/cart_errmap.js";

// told has a branch for each declared error, and the compiler holds it to that.
function told(err: unknown): string {
  const e: CartGetError | undefined = asCartGetError(err);
  if (e === undefined) {
    return "other";
  }
  switch (e.reason) {
    case "STOCK_EMPTY":
      return e.sku;
  }
}

it("finds what the method declares", () => {
  const received = decodeStatusJson(encodeStatusJson(new StockEmptyError({ sku: "A1" })));
  assert.equal(told(received), "A1");
  assert.equal(told(new Error("get", { cause: received })), "A1");
  for (const other of [undefined, null, "x", new Error("x"), new PaymentRequiredError()]) {
    assert.equal(told(other), "other");
  }
});

it("is a union that its reason tells apart", () => {
  const e: ErrorOf<typeof errors_shop_v1_cart> | undefined = asErrorOf(new InvalidCartError(), errors_shop_v1_cart);
  assert.ok(e?.reason === "INVALID_CART" && e instanceof InvalidCartError);
});
