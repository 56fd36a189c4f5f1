// Take the migrations' lock, or hold it longer; no record if another process holds it.
// The row is written before it is judged, so that two who come at once follow one another. Times are the store's.
// Takes: holder, lease_ms
// Leans on: migration_number (number 0 is the lock)
MERGE (m:Migration {number: 0})
  ON CREATE SET m.until = 0
SET m.tries = coalesce(m.tries, 0) + 1
WITH m
WHERE m.until < timestamp() OR m.holder = $holder
SET m.holder = $holder, m.until = timestamp() + $lease_ms
RETURN m.holder AS holder
