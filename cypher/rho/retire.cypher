// Takes a snapshot away from readers, if no upload points to it and no other graph has it; otherwise, if another graph has it, from this one alone.
// Takes: graph (key), key (of the snapshot)
// Gives: state of the snapshot afterwards; nothing if it is kept, or another graph's alone
// Leans on: rho_snapshot_key
MATCH (s:RhoSnapshot {key: $key})
SET s.lock = coalesce(s.lock, 0) + 1
WITH s, COUNT { (s)<-[:RHO_ACCEPTED]-() } AS uploads, COUNT { (s)<-[:RHO_SNAPSHOT]-() } AS graphs
WHERE uploads = 0
MATCH (s)<-[r:RHO_SNAPSHOT]-(g:RhoGraph {key: $graph})
WHERE g.current <> s.key
FOREACH (one IN CASE WHEN graphs > 1 THEN [r] ELSE [] END | DELETE one)
FOREACH (one IN CASE WHEN graphs = 1 THEN [s] ELSE [] END | SET one.state = 2)
RETURN CASE WHEN graphs = 1 THEN 2 ELSE 1 END AS state
