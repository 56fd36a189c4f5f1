// Events about some nodes.
// Takes: keys (of the nodes)
// Gives: rows (lists of the node's key and the event's body)
// Leans on: rho_node_skey
UNWIND $lists.keys AS key
MATCH (n:RhoNode {skey: key})<-[:RHO_SUBJECT]-(v:RhoEvent) USING INDEX SEEK n:RhoNode(skey)
RETURN collect([key, v.body]) AS rows
