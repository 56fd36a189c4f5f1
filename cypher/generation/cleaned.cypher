// Forgets a generation that nothing is left of.
// Takes: id (what it was called)
// Leans on: deleted_id
MATCH (x:Deleted {id: $id})
DELETE x
RETURN 1 AS done
