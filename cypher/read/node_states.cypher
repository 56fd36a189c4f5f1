// All ended states of one node that began in a stretch, oldest first.
// Takes: first, last (version keys: "key of the node|since")
// Gives: row (a list, FULL in app/store/nodes.py). Nothing else may be matched here: the embedded engine would scan all versions.
// Leans on: node_version_key
MATCH (v:NodeVersion) WHERE v.key >= $first AND v.key <= $last
RETURN [v.ref, v.since, v.provider, v.kind, v.parent, v.root, v.session, v.requested_by, v.depth, v.state, v.attention, v.title,
         v.summary, v.headline, v.purpose, v.agent_type, v.background, v.link_method, v.spawn_call_id, v.cwd, v.created, v.ended,
         v.last_event, v.child_count, v.descendant_count, v.background_agent_count, v.tasks_total, v.tasks_pending,
         v.tasks_in_progress, v.tasks_completed, v.blocked_on, v.blocked_starting, v.blocked_node_count, v.blocked_open_tasks,
         v.blocked_cycle, v.created_text, v.placed, v.active_ns, v.asking_ns] AS row
ORDER BY v.key
