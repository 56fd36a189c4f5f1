// Takes away current rows of a deleted graph, once it has no edges, and what it started from: at most so many of each kind.
// Takes: g, limit
// Gives: number (how many there were)
// Leans on: node_g, task_g, spawn_g, wait_g, message_g, checkpoint_g
CALL { MATCH (x:Node {g: $g}) WITH x LIMIT $limit DETACH DELETE x RETURN count(*) AS nodes }
CALL { MATCH (x:Task {g: $g}) WITH x LIMIT $limit DELETE x RETURN count(*) AS tasks }
CALL { MATCH (x:Spawn {g: $g}) WITH x LIMIT $limit DELETE x RETURN count(*) AS spawns }
CALL { MATCH (x:Wait {g: $g}) WITH x LIMIT $limit DELETE x RETURN count(*) AS waits }
CALL { MATCH (x:Message {g: $g}) WITH x LIMIT $limit DELETE x RETURN count(*) AS messages }
CALL { MATCH (x:Checkpoint {g: $g}) WITH x LIMIT $limit DELETE x RETURN count(*) AS checkpoints }
RETURN nodes + tasks + spawns + waits + messages + checkpoints AS number
