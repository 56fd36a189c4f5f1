// Nodes of a snapshot that has become current stand for sessions and agents.
// Takes: rows {nodes ({skey, mirrors})}
// Leans on: rho_node_skey
UNWIND $rows.nodes AS row
MATCH (n:RhoNode {skey: row.skey}) USING INDEX SEEK n:RhoNode(skey)
SET n.mirrors = row.mirrors
