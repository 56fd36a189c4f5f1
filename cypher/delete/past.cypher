// Takes away ended states of a deleted graph: at most so many of each kind that ended at certain places.
// Takes: g, seqs, limit
// Gives: number (how many there were)
// Leans on: node_version_until and its like, all by full key
CALL { UNWIND $lists.seqs AS s MATCH (x:NodeVersion {g: $g, until: s}) WITH x LIMIT $limit DELETE x RETURN count(*) AS nodes }
CALL { UNWIND $lists.seqs AS s MATCH (x:TaskVersion {g: $g, until: s}) WITH x LIMIT $limit DELETE x RETURN count(*) AS tasks }
CALL { UNWIND $lists.seqs AS s MATCH (x:SpawnVersion {g: $g, until: s}) WITH x LIMIT $limit DELETE x RETURN count(*) AS spawns }
CALL { UNWIND $lists.seqs AS s MATCH (x:WaitVersion {g: $g, until: s}) WITH x LIMIT $limit DELETE x RETURN count(*) AS waits }
CALL { UNWIND $lists.seqs AS s MATCH (x:MessageVersion {g: $g, until: s}) WITH x LIMIT $limit DELETE x RETURN count(*) AS messages }
RETURN nodes + tasks + spawns + waits + messages AS number
