// Edges that leave some nodes, with the nodes at their other ends.
// Takes: keys (of the nodes), types (of the edges)
// Gives: rows (lists of the node's key, the edge's body and the other node's body)
// Leans on: rho_node_skey
UNWIND $lists.keys AS key
MATCH (n:RhoNode {skey: key})-[e:RHO_CONTAINS|RHO_DEPENDS_ON|RHO_REFERENCES|RHO_PRODUCED|RHO_GOVERNED_BY|RHO_VALIDATED_BY]->(m:RhoNode) USING INDEX SEEK n:RhoNode(skey)
WHERE type(e) IN $lists.types
RETURN collect([key, e.body, m.body]) AS rows
