// Rho graphs by their keys.
// Takes: keys
// Gives: rows (RhoGraphRow in app/store/rho/reading.py)
// Leans on: rho_graph_key
UNWIND $lists.keys AS key
MATCH (g:RhoGraph {key: key})
RETURN collect([g.key, g.subject_kind, g.subject_id, g.project_id, g.repository_id, g.current]) AS rows
