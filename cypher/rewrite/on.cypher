// Rows of a history that is rewritten: whole ones, in place of what has their key, or new. `SET x = row` takes away what became null.
// Takes: rows {nodes, tasks, spawns, waits, messages, and each with _past}
// Gives: counts by the same names
// Leans on: node_key and its like, node_version_key and its like
FOREACH (row IN $rows.nodes | MERGE (x:Node {key: row.key}) SET x = row)
FOREACH (row IN $rows.tasks | MERGE (x:Task {key: row.key}) SET x = row)
FOREACH (row IN $rows.spawns | MERGE (x:Spawn {key: row.key}) SET x = row)
FOREACH (row IN $rows.waits | MERGE (x:Wait {key: row.key}) SET x = row)
FOREACH (row IN $rows.messages | MERGE (x:Message {key: row.key}) SET x = row)
FOREACH (row IN $rows.nodes_past | MERGE (x:NodeVersion {key: row.key}) SET x = row)
FOREACH (row IN $rows.tasks_past | MERGE (x:TaskVersion {key: row.key}) SET x = row)
FOREACH (row IN $rows.spawns_past | MERGE (x:SpawnVersion {key: row.key}) SET x = row)
FOREACH (row IN $rows.waits_past | MERGE (x:WaitVersion {key: row.key}) SET x = row)
FOREACH (row IN $rows.messages_past | MERGE (x:MessageVersion {key: row.key}) SET x = row)
RETURN size($rows.nodes) AS nodes, size($rows.tasks) AS tasks, size($rows.spawns) AS spawns, size($rows.waits) AS waits, size($rows.messages) AS messages,
       size($rows.nodes_past) AS nodes_past, size($rows.tasks_past) AS tasks_past, size($rows.spawns_past) AS spawns_past, size($rows.waits_past) AS waits_past, size($rows.messages_past) AS messages_past
