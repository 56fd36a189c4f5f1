// Notes how far the cleaning of a deleted graph has come.
// Takes: id, low (no event is left below), pending (0: nothing is left at all)
// Leans on: deleted_id
MATCH (x:Deleted {id: $id})
SET x.low = $low, x.left = $pending
RETURN 1 AS done
