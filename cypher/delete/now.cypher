// Takes away current rows of a deleted graph, once it has no edges, its checkpoints, and ids that it remembers: at most so many of each.
// Takes: g, limit
// Gives: number (how many there were)
// Leans on: node_g, task_g, spawn_g, wait_g, message_g, checkpoint_g, trimmed_g
CALL { MATCH (x:Node {g: $g}) WITH x LIMIT $limit DETACH DELETE x RETURN count(*) AS nodes }
CALL { MATCH (x:Task {g: $g}) WITH x LIMIT $limit DELETE x RETURN count(*) AS tasks }
CALL { MATCH (x:Spawn {g: $g}) WITH x LIMIT $limit DELETE x RETURN count(*) AS spawns }
CALL { MATCH (x:Wait {g: $g}) WITH x LIMIT $limit DELETE x RETURN count(*) AS waits }
CALL { MATCH (x:Message {g: $g}) WITH x LIMIT $limit DELETE x RETURN count(*) AS messages }
CALL { MATCH (x:Checkpoint {g: $g}) WITH x LIMIT $limit DELETE x RETURN count(*) AS checkpoints }
CALL { MATCH (x:Trimmed {g: $g}) WITH x LIMIT $limit DELETE x RETURN count(*) AS ids }
RETURN ids + nodes + tasks + spawns + waits + messages + checkpoints AS number
