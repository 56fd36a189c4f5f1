// Notes an upload, and the snapshot that it brought.
// Takes: key (of the snapshot), row (all properties of the upload)
// Leans on: rho_snapshot_key, rho_sync_key (one that is there already is a fault)
MATCH (s:RhoSnapshot {key: $key})
CREATE (y:RhoSync)
SET y = $row
CREATE (y)-[:RHO_ACCEPTED]->(s)
