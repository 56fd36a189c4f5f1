// New edges of the kind `depends_on` between nodes of one snapshot. (A type cannot be a parameter.)
// Takes: rows {edges ({a, b: keys of its ends, row: its properties})}
// Gives: number
// Leans on: rho_node_skey
UNWIND $rows.edges AS row
MATCH (a:RhoNode {skey: row.a})
WITH row, a
MATCH (b:RhoNode {skey: row.b})
CREATE (a)-[e:RHO_DEPENDS_ON]->(b)
SET e = row.row
RETURN count(*) AS number
