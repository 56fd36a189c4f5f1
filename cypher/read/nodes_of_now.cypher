// The current states of certain nodes, whatever their age.
// Takes: keys (of nodes), graph
// Gives: rows (lists, FULL in app/store/nodes.py; 250 a record), at (where the graph stands when all rows have been read)
// Leans on: node_key, graph_id
UNWIND $lists.keys AS key
MATCH (n:Node {key: key})
WITH collect([n.ref, n.since, n.provider, n.kind, n.parent, n.root, n.session, n.requested_by, n.depth, n.state, n.attention, n.title,
              n.summary, n.headline, n.purpose, n.agent_type, n.background, n.link_method, n.spawn_call_id, n.cwd, n.created, n.ended,
              n.last_event, n.child_count, n.descendant_count, n.background_agent_count, n.tasks_total, n.tasks_pending,
              n.tasks_in_progress, n.tasks_completed, n.blocked_on, n.blocked_starting, n.blocked_node_count, n.blocked_open_tasks,
              n.blocked_cycle, n.created_text, n.placed, n.active_ns, n.asking_ns]) AS rows
MATCH (r:Graph {id: $graph})
UNWIND range(0, size(rows), 250) AS i
RETURN rows[i..i + 250] AS rows, r.at AS at
