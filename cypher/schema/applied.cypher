// The numbers of the migrations that this store has had, in order.
// Takes: nothing
// Leans on: nothing; there are a handful
MATCH (m:Migration)
WHERE m.number > 0
RETURN m.number AS number
ORDER BY number
