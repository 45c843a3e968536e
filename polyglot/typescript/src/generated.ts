// What generated code stands on.

export { asErrorOf, TypedError, type Init } from "./typed.js";
export type { ErrorInit } from "./error.js";
