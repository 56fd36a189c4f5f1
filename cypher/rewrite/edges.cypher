// Edges of a history that is rewritten; both ends must be there. Compare the counts with the rows.
// Takes: rows {parent_of, waits_on ({a, b, key, since, until})}
// Gives: counts by the same names
// Leans on: node_key
CALL {
  UNWIND $rows.parent_of AS row
  MATCH (a:Node {key: row.a}) MATCH (b:Node {key: row.b})
  CREATE (a)-[:PARENT_OF {key: row.key, since: row.since, until: row.until}]->(b)
  RETURN count(*) AS parent_of
}
CALL {
  UNWIND $rows.waits_on AS row
  MATCH (a:Node {key: row.a}) MATCH (b:Node {key: row.b})
  CREATE (a)-[:WAITS_ON {key: row.key, since: row.since, until: row.until}]->(b)
  RETURN count(*) AS waits_on
}
RETURN parent_of, waits_on
