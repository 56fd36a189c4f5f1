// Uploads by their keys.
// Takes: keys
// Gives: rows (lists of key, digest and the key of the snapshot)
// Leans on: rho_sync_key
UNWIND $lists.keys AS key
MATCH (y:RhoSync {key: key})
RETURN collect([y.key, y.digest, y.snapshot]) AS rows
