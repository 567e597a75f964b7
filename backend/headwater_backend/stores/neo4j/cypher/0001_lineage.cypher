// Times are microseconds since 1970 UTC, keys are the texts of headwater_backend.domain.node_keys.
// An edge is (:Path)-[:FLOWS_TO {version, current, direct, indirect, transformations}]->(:Path).
CREATE CONSTRAINT headwater_migration IF NOT EXISTS FOR (n:Migration) REQUIRE n.number IS UNIQUE;
CREATE CONSTRAINT headwater_dataset IF NOT EXISTS FOR (n:Dataset) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT headwater_path IF NOT EXISTS FOR (n:Path) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT headwater_job IF NOT EXISTS FOR (n:Job) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT headwater_run IF NOT EXISTS FOR (n:Run) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT headwater_io IF NOT EXISTS FOR (n:Io) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT headwater_facet IF NOT EXISTS FOR (n:Facet) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT headwater_symlink IF NOT EXISTS FOR (n:Symlink) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT headwater_alias IF NOT EXISTS FOR (n:Alias) REQUIRE n.name IS UNIQUE;
CREATE CONSTRAINT headwater_slot IF NOT EXISTS FOR (n:Slot) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT headwater_version IF NOT EXISTS FOR (n:Version) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT headwater_observation IF NOT EXISTS FOR (n:Observation) REQUIRE n.key IS UNIQUE;
CREATE INDEX headwater_dataset_name IF NOT EXISTS FOR (n:Dataset) ON (n.namespace, n.name);
CREATE INDEX headwater_run_job IF NOT EXISTS FOR (n:Run) ON (n.job);
CREATE INDEX headwater_io_run IF NOT EXISTS FOR (n:Io) ON (n.run);
CREATE INDEX headwater_facet_owner IF NOT EXISTS FOR (n:Facet) ON (n.owner);
CREATE INDEX headwater_facet_name IF NOT EXISTS FOR (n:Facet) ON (n.name);
CREATE INDEX headwater_symlink_name IF NOT EXISTS FOR (n:Symlink) ON (n.name);
CREATE INDEX headwater_symlink_dataset IF NOT EXISTS FOR (n:Symlink) ON (n.dataset);
CREATE INDEX headwater_alias_canonical IF NOT EXISTS FOR (n:Alias) ON (n.canonical);
CREATE INDEX headwater_slot_output IF NOT EXISTS FOR (n:Slot) ON (n.output);
CREATE INDEX headwater_observation_slot IF NOT EXISTS FOR (n:Observation) ON (n.slot);
CREATE INDEX headwater_observation_run IF NOT EXISTS FOR (n:Observation) ON (n.run);
