"""What the package does inside, after the rooms of the Go module: hub, jsontree,
protojson, schema, wire. An import points down this list and never up."""
