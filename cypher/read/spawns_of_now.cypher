// The current states of certain nodes' spawns, whatever their age.
// Takes: keys (of nodes), graph
// Gives: rows (lists, COLUMNS["spawn"] in app/store/parts.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: spawn_node, graph_id
UNWIND $lists.keys AS key
MATCH (p:Spawn {node: key})
WITH collect([p.ref, p.since, p.position, p.call_id, p.kind, p.agent_type, p.purpose, p.background, p.run, p.title, p.child,
              p.returned, p.requested]) AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
