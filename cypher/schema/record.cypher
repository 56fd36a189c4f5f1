// Record that a migration is done.
// Takes: number, name
// Leans on: migration_number
MERGE (m:Migration {number: $number})
SET m.name = $name, m.applied = timestamp()
RETURN m.number AS number
