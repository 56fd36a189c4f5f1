// Current rows (what of them is new; null takes a property away) and edges, of an append or of a graph that is written anew. Compare the counts
// with the rows: an edge whose end does not exist, or that is not there, drops its row without a word.
// Takes: rows {nodes, tasks, spawns, waits, messages ({key, set}),
//        gone_tasks ({key}: of all parts, only tasks are ever taken away), parent_until, waits_until ({a, b, key, until}),
//        parent_of, waits_on ({a, b, key, since, until})}
// Gives: counts of the last five
// Leans on: node_key, task_key, spawn_key, wait_key, message_key; edges are found between both ends, from the one with fewer
CALL { UNWIND $rows.nodes AS row MERGE (x:Node {key: row.key}) SET x += row.set RETURN count(*) AS nodes }
CALL { UNWIND $rows.tasks AS row MERGE (x:Task {key: row.key}) SET x += row.set RETURN count(*) AS tasks }
CALL { UNWIND $rows.spawns AS row MERGE (x:Spawn {key: row.key}) SET x += row.set RETURN count(*) AS spawns }
CALL { UNWIND $rows.waits AS row MERGE (x:Wait {key: row.key}) SET x += row.set RETURN count(*) AS waits }
CALL { UNWIND $rows.messages AS row MERGE (x:Message {key: row.key}) SET x += row.set RETURN count(*) AS messages }
CALL {
  UNWIND $rows.gone_tasks AS row
  MATCH (x:Task {key: row.key})
  DELETE x
  RETURN count(*) AS gone_tasks
}
CALL {
  UNWIND $rows.parent_until AS row
  MATCH (a:Node {key: row.a}) MATCH (b:Node {key: row.b}) MATCH (b)<-[e:PARENT_OF {key: row.key}]-(a)
  SET e.until = row.until
  RETURN count(*) AS parent_until
}
CALL {
  UNWIND $rows.waits_until AS row
  MATCH (a:Node {key: row.a}) MATCH (b:Node {key: row.b}) MATCH (b)<-[e:WAITS_ON {key: row.key}]-(a)
  SET e.until = row.until
  RETURN count(*) AS waits_until
}
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
RETURN gone_tasks, parent_until, waits_until, parent_of, waits_on
