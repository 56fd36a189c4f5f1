// Rows of a history that is rewritten: current ones of things that never were, and states that never held or ended elsewhere. Their edges
// must be gone already. Compare the counts with the rows: one that is not there drops out without a word.
// Takes: rows {nodes, tasks, spawns, waits, messages, and each with _past ({key})}
// Gives: counts by the same names
// Leans on: node_key and its like, node_version_key and its like
CALL { UNWIND $rows.nodes AS row MATCH (x:Node {key: row.key}) DELETE x RETURN count(*) AS nodes }
CALL { UNWIND $rows.tasks AS row MATCH (x:Task {key: row.key}) DELETE x RETURN count(*) AS tasks }
CALL { UNWIND $rows.spawns AS row MATCH (x:Spawn {key: row.key}) DELETE x RETURN count(*) AS spawns }
CALL { UNWIND $rows.waits AS row MATCH (x:Wait {key: row.key}) DELETE x RETURN count(*) AS waits }
CALL { UNWIND $rows.messages AS row MATCH (x:Message {key: row.key}) DELETE x RETURN count(*) AS messages }
CALL { UNWIND $rows.nodes_past AS row MATCH (x:NodeVersion {key: row.key}) DELETE x RETURN count(*) AS nodes_past }
CALL { UNWIND $rows.tasks_past AS row MATCH (x:TaskVersion {key: row.key}) DELETE x RETURN count(*) AS tasks_past }
CALL { UNWIND $rows.spawns_past AS row MATCH (x:SpawnVersion {key: row.key}) DELETE x RETURN count(*) AS spawns_past }
CALL { UNWIND $rows.waits_past AS row MATCH (x:WaitVersion {key: row.key}) DELETE x RETURN count(*) AS waits_past }
CALL { UNWIND $rows.messages_past AS row MATCH (x:MessageVersion {key: row.key}) DELETE x RETURN count(*) AS messages_past }
RETURN nodes, tasks, spawns, waits, messages,
       nodes_past, tasks_past, spawns_past, waits_past, messages_past
