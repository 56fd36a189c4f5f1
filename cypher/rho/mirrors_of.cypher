// Nodes of an account's current snapshots that stand for some sessions and agents (M12).
// Takes: keys (of their names), account
// Gives: rows (lists of the name's key, the node's body, the snapshot's key, and subject_id of the graph)
// Leans on: rho_node_mirrors
UNWIND $lists.keys AS key
MATCH (n:RhoNode {mirrors: key})<-[:RHO_NODE]-(s:RhoSnapshot)<-[:RHO_CURRENT]-(g:RhoGraph) USING INDEX SEEK n:RhoNode(mirrors)
WHERE g.account = $account
RETURN collect([key, n.body, s.key, g.subject_id]) AS rows
