// New events of a snapshot.
// Takes: key (of the snapshot), rows {events ({subject: key of the node, row: its properties})}
// Gives: number
// Leans on: rho_snapshot_key, rho_node_skey
MATCH (s:RhoSnapshot {key: $key})
UNWIND $rows.events AS row
MATCH (n:RhoNode {skey: row.subject})
CREATE (s)-[:RHO_EVENT]->(v:RhoEvent)-[:RHO_SUBJECT]->(n)
SET v = row.row
RETURN count(*) AS number
