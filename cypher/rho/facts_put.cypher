// Facts of a new snapshot, or a piece of them: nodes first. What joins two of them finds its ends by their keys, in this piece or in one before.
// (A part for each type of edge: it cannot be a parameter.)
// Takes: key (of the snapshot), rows {nodes (whole rows), events ({subject: key of the node, row: its properties}),
//        contains, depends_on, references, produced, governed_by, validated_by ({a, b: keys of its ends, row: its properties})}
// Gives: number
// Leans on: rho_snapshot_key, rho_node_skey
MATCH (s:RhoSnapshot {key: $key})
CALL {
  WITH s
  UNWIND $rows.nodes AS row
  CREATE (s)-[:RHO_NODE]->(n:RhoNode)
  SET n = row
  RETURN count(*) AS nodes
}
CALL {
  WITH s
  UNWIND $rows.events AS row
  MATCH (n:RhoNode {skey: row.subject})
  CREATE (s)-[:RHO_EVENT]->(v:RhoEvent)-[:RHO_SUBJECT]->(n)
  SET v = row.row
  RETURN count(*) AS events
}
CALL {
  UNWIND $rows.contains AS row
  MATCH (a:RhoNode {skey: row.a}) MATCH (b:RhoNode {skey: row.b})
  CREATE (a)-[e:RHO_CONTAINS]->(b)
  SET e = row.row
  RETURN count(*) AS contains
}
CALL {
  UNWIND $rows.depends_on AS row
  MATCH (a:RhoNode {skey: row.a}) MATCH (b:RhoNode {skey: row.b})
  CREATE (a)-[e:RHO_DEPENDS_ON]->(b)
  SET e = row.row
  RETURN count(*) AS depends_on
}
CALL {
  UNWIND $rows.references AS row
  MATCH (a:RhoNode {skey: row.a}) MATCH (b:RhoNode {skey: row.b})
  CREATE (a)-[e:RHO_REFERENCES]->(b)
  SET e = row.row
  RETURN count(*) AS references
}
CALL {
  UNWIND $rows.produced AS row
  MATCH (a:RhoNode {skey: row.a}) MATCH (b:RhoNode {skey: row.b})
  CREATE (a)-[e:RHO_PRODUCED]->(b)
  SET e = row.row
  RETURN count(*) AS produced
}
CALL {
  UNWIND $rows.governed_by AS row
  MATCH (a:RhoNode {skey: row.a}) MATCH (b:RhoNode {skey: row.b})
  CREATE (a)-[e:RHO_GOVERNED_BY]->(b)
  SET e = row.row
  RETURN count(*) AS governed_by
}
CALL {
  UNWIND $rows.validated_by AS row
  MATCH (a:RhoNode {skey: row.a}) MATCH (b:RhoNode {skey: row.b})
  CREATE (a)-[e:RHO_VALIDATED_BY]->(b)
  SET e = row.row
  RETURN count(*) AS validated_by
}
RETURN nodes + events + contains + depends_on + references + produced + governed_by + validated_by AS number
