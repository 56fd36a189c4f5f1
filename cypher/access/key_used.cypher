// Notes when a key was last used.
// Takes: id, now (Unix ms)
// Leans on: key_id
MATCH (k:Key {id: $id})
SET k.last_used = $now
