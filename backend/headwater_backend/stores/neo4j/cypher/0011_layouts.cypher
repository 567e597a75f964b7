// With which columns jobs read and wrote datasets, and what follows where those differ (stores/drift.py): what a job reads
// by another name is (:Path)-[:READ_AS {dataset, job, since, current, direct, indirect, transformations, version}]->(:Path).
CREATE CONSTRAINT headwater_layout IF NOT EXISTS FOR (n:Layout) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT headwater_drift IF NOT EXISTS FOR (n:Drift) REQUIRE n.key IS UNIQUE;
CREATE INDEX headwater_layout_dataset IF NOT EXISTS FOR (n:Layout) ON (n.dataset);
CREATE INDEX headwater_drift_dataset IF NOT EXISTS FOR (n:Drift) ON (n.dataset);
CREATE INDEX headwater_read_as_dataset IF NOT EXISTS FOR ()-[r:READ_AS]-() ON (r.dataset);
