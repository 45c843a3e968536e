// The names that a schema leaves out: docs/wire.md section 2.

/**
 * reasonOf returns the reason of a message that names none: its name in
 * UPPER_SNAKE_CASE without a trailing _ERROR. HTTPTimeoutError is HTTP_TIMEOUT.
 */
export function reasonOf(messageName: string): string {
  return messageName
    .replace(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "_")
    .toUpperCase()
    .replace(/_ERROR$/, "");
}

/** kebab returns a reason in kebab-case, as a problem type has it. */
export function kebab(reason: string): string {
  return reason.replace(/[A-Z_]/g, (c) => (c === "_" ? "-" : c.toLowerCase()));
}
