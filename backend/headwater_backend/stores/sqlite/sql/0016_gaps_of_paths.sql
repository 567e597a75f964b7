-- What might be made of a dataset, also by jobs of which a path of the output is incomplete and does not list what was
-- read. The reasons that do are those of headwater_backend.domain.model.

UPDATE version SET untold = 1 WHERE NOT untold AND EXISTS (
    SELECT 1 FROM gap g WHERE g.version = version.id
    AND g.reason NOT IN ('TYPED_OPERATION', 'SCRIPT', 'DRIVER', 'SCHEMA_DRIFT')
    AND g.reason NOT GLOB '*_UDF' AND g.reason NOT GLOB '*_UDAF' AND g.reason NOT GLOB '*_UDTF'
);
