// Every upload of a project, in no order.
// Takes: key (of the account and the project)
// Gives: rows (lists of session_id, received_at (Unix ms), sync_id and the key of the snapshot)
// Leans on: rho_sync_project
MATCH (y:RhoSync {project: $key}) USING INDEX SEEK y:RhoSync(project)
RETURN collect([y.session_id, y.received_at, y.sync_id, y.snapshot]) AS rows
