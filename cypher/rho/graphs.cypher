// Every Rho graph of an account, in no order.
// Takes: account
// Gives: rows (RhoGraphRow in app/store/rho/reading.py)
// Leans on: rho_graph_account
// Budget: 4 hits a graph (tests/store/budgets)
MATCH (g:RhoGraph {account: $account}) USING INDEX SEEK g:RhoGraph(account)
RETURN collect([g.key, g.subject_kind, g.subject_id, g.project_id, g.repository_id, g.current]) AS rows
