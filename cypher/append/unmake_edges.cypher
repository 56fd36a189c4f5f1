// Takes edges away, where they are there: before a piece of the second stage that a dead writer may have written already, of the edges that
// it will make; and where history is rewritten, of those that are no longer so. Then compare the counts with the rows.
// All are found before the first is taken away: the embedded engine would lose its way among the many edges of a node.
// Takes: rows {parent_of, waits_on ({a, b, key})}
// Leans on: node_key; edges are found between both ends, from the one with fewer
CALL {
  UNWIND $rows.parent_of AS row
  MATCH (a:Node {key: row.a}) MATCH (b:Node {key: row.b}) MATCH (b)<-[e:PARENT_OF {key: row.key}]-(a)
  WITH collect(e) AS edges UNWIND edges AS e
  DELETE e
  RETURN count(*) AS parent_of
}
CALL {
  UNWIND $rows.waits_on AS row
  MATCH (a:Node {key: row.a}) MATCH (b:Node {key: row.b}) MATCH (b)<-[e:WAITS_ON {key: row.key}]-(a)
  WITH collect(e) AS edges UNWIND edges AS e
  DELETE e
  RETURN count(*) AS waits_on
}
RETURN parent_of, waits_on
