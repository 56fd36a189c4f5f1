// A new snapshot, without its facts.
// Takes: row (all its properties)
// Leans on: rho_snapshot_key (one that is there already is a fault)
CREATE (s:RhoSnapshot)
SET s = $row
