// The ended states of nodes that began at certain places.
// Takes: keys (of versions: "key of the node|since"), graph
// Gives: rows (lists, FULL in app/store/nodes.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: node_version_key, graph_id
UNWIND $lists.keys AS key
MATCH (v:NodeVersion {key: key})
WITH collect([v.ref, v.since, v.provider, v.kind, v.parent, v.root, v.session, v.requested_by, v.depth, v.state, v.attention, v.title,
              v.summary, v.headline, v.purpose, v.agent_type, v.background, v.link_method, v.spawn_call_id, v.cwd, v.created, v.ended,
              v.last_event, v.child_count, v.descendant_count, v.background_agent_count, v.tasks_total, v.tasks_pending,
              v.tasks_in_progress, v.tasks_completed, v.blocked_on, v.blocked_starting, v.blocked_node_count, v.blocked_open_tasks,
              v.blocked_cycle, v.created_text, v.placed, v.active_ns, v.asking_ns]) AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
