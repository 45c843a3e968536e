// The catalogue of a program.

import type { DescFile } from "@bufbuild/protobuf";
import { Catalog, type ErrorClass } from "./catalog.js";
import { definitionOf, isAnnotated } from "./definition.js";
import { file_errmap_a2a_v1_errors } from "./gen/errmap/a2a/v1/errors_pb.js";
import { errors_errmap_a2a_v1_errors } from "./gen/errmap/a2a/v1/errors_errmap.js";
import { file_errmap_mcp_v1_client } from "./gen/errmap/mcp/v1/client_pb.js";
import { errors_errmap_mcp_v1_client } from "./gen/errmap/mcp/v1/client_errmap.js";
import { file_errmap_mcp_v1_errors } from "./gen/errmap/mcp/v1/errors_pb.js";
import { errors_errmap_mcp_v1_errors } from "./gen/errmap/mcp/v1/errors_errmap.js";

/** CatalogEntry is a list of errors, as generated files export it, one class of it, or a file. */
export type CatalogEntry = DescFile | ErrorClass | readonly ErrorClass[];

const builtin: readonly (readonly [DescFile, readonly ErrorClass[]])[] = [
  [file_errmap_a2a_v1_errors, errors_errmap_a2a_v1_errors],
  [file_errmap_mcp_v1_errors, errors_errmap_mcp_v1_errors],
  [file_errmap_mcp_v1_client, errors_errmap_mcp_v1_client],
];

/**
 * createCatalog returns the catalogue of errors, and of the types of their files: a
 * reader makes errors of the classes that are in it. The errors of A2A and MCP are
 * added for each of the two domains that the entries define no error in.
 *
 * It throws a DefinitionError that names every mistake of the schema.
 */
export function createCatalog(...entries: readonly CatalogEntry[]): Catalog {
  const classes: ErrorClass[] = [];
  const files: DescFile[] = [];
  for (const entry of entries.flat() as (DescFile | ErrorClass)[]) {
    if ("schema" in entry) {
      classes.push(entry);
      files.push(entry.schema.file);
    } else {
      files.push(entry);
    }
  }
  const given = new Catalog(files);
  for (const [file, list] of builtin) {
    const domain = file.messages.filter(isAnnotated).map((desc) => definitionOf(desc).domain)[0];
    if (domain !== undefined && !given.knowsDomain(domain)) {
      files.push(file);
      classes.push(...list);
    }
  }
  return new Catalog(files, classes);
}

let known: Catalog | undefined;

/** defaultCatalog knows the errors of A2A and MCP. */
export function defaultCatalog(): Catalog {
  known ??= createCatalog();
  return known;
}
