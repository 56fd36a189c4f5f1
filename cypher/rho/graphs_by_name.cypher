// Rho graphs about a session or a mission of some name, one for each project.
// Takes: key (of the account, the kind of subject and its name)
// Gives: rows (RhoGraphRow in app/store/rho/reading.py)
// Leans on: rho_graph_named
MATCH (g:RhoGraph {named: $key}) USING INDEX SEEK g:RhoGraph(named)
RETURN collect([g.key, g.subject_kind, g.subject_id, g.project_id, g.repository_id, g.current]) AS rows
