// Give the migrations' lock back, if it is still ours.
// Takes: holder
// Leans on: migration_number
MATCH (m:Migration {number: 0})
WHERE m.holder = $holder
SET m.until = 0, m.holder = null
RETURN m.number AS number
