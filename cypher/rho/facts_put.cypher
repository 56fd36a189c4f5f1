// All facts of a new snapshot. What joins two of them finds its ends by their places in the list of nodes. (A part for each type: it cannot be a parameter.)
// Takes: key (of the snapshot), rows {nodes (whole rows), events ({subject: place of the node, row: its properties}),
//        contains, depends_on, references, produced, governed_by, validated_by ({a, b: places of its ends, row: its properties})}
// Gives: number
// Leans on: rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
CALL {
  WITH s
  UNWIND $rows.nodes AS row
  CREATE (s)-[:RHO_NODE]->(n:RhoNode)
  SET n = row
  RETURN collect(n) AS nodes
}
CALL {
  WITH s, nodes
  UNWIND $rows.events AS row
  WITH s, row, nodes[row.subject] AS n
  CREATE (s)-[:RHO_EVENT]->(v:RhoEvent)-[:RHO_SUBJECT]->(n)
  SET v = row.row
  RETURN count(*) AS events
}
CALL {
  WITH nodes
  UNWIND $rows.contains AS row
  WITH row, nodes[row.a] AS a, nodes[row.b] AS b
  CREATE (a)-[e:RHO_CONTAINS]->(b)
  SET e = row.row
  RETURN count(*) AS contains
}
CALL {
  WITH nodes
  UNWIND $rows.depends_on AS row
  WITH row, nodes[row.a] AS a, nodes[row.b] AS b
  CREATE (a)-[e:RHO_DEPENDS_ON]->(b)
  SET e = row.row
  RETURN count(*) AS depends_on
}
CALL {
  WITH nodes
  UNWIND $rows.references AS row
  WITH row, nodes[row.a] AS a, nodes[row.b] AS b
  CREATE (a)-[e:RHO_REFERENCES]->(b)
  SET e = row.row
  RETURN count(*) AS references
}
CALL {
  WITH nodes
  UNWIND $rows.produced AS row
  WITH row, nodes[row.a] AS a, nodes[row.b] AS b
  CREATE (a)-[e:RHO_PRODUCED]->(b)
  SET e = row.row
  RETURN count(*) AS produced
}
CALL {
  WITH nodes
  UNWIND $rows.governed_by AS row
  WITH row, nodes[row.a] AS a, nodes[row.b] AS b
  CREATE (a)-[e:RHO_GOVERNED_BY]->(b)
  SET e = row.row
  RETURN count(*) AS governed_by
}
CALL {
  WITH nodes
  UNWIND $rows.validated_by AS row
  WITH row, nodes[row.a] AS a, nodes[row.b] AS b
  CREATE (a)-[e:RHO_VALIDATED_BY]->(b)
  SET e = row.row
  RETURN count(*) AS validated_by
}
RETURN size(nodes) + events + contains + depends_on + references + produced + governed_by + validated_by AS number
