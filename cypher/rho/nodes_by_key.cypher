// Nodes by their keys.
// Takes: keys
// Gives: rows (lists of key and body)
// Leans on: rho_node_skey
UNWIND $lists.keys AS key
MATCH (n:RhoNode {skey: key}) USING INDEX SEEK n:RhoNode(skey)
RETURN collect([n.skey, n.body]) AS rows
