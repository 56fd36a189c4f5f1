// A new graph without events. `at` is [head, floor, revision, arrival, written, applied, held] in one property: no reader sees half of it.
// `ends` are its first and its last event, [seq, id, ts, time_ms, nodes] of each as texts, in one property for the same reason; `coming`
// is what it becomes with the append that is under way.
// Takes: id, account, title, source, created (Unix ms), retention (null: the server's setting), g (key of generation 1)
// Leans on: graph_id
CREATE (g:Graph {id: $id})
SET g.account = $account, g.title = $title, g.source = $source, g.created = $created, g.retention_events = $retention,
    g.generation = 1, g.g = $g, g.lock = 0, g.adding = 0, g.pending = 0, g.at = [0, 0, 0, 0, 0, 0, 0], g.ends = [], g.coming = []
