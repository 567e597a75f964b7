"""The types and fields of the schema, one module a topic; each resolver asks one question of the backend."""
