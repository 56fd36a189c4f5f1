// The ended states of certain nodes' tasks that began at a place or before.
// Takes: keys (of nodes), seq
// Gives: rows (lists of ref, id, since, text, active_text and status)
// Leans on: task_version_node
UNWIND $lists.keys AS key
MATCH (p:TaskVersion {node: key}) WHERE p.since <= $seq
RETURN collect([p.ref, p.id, p.since, p.text, p.active_text, p.status]) AS rows
