"""Types and fields of the schema, one module per topic; each resolver runs one question of the backend."""
