// Keeps a key's record.
// Takes: id, row (all its properties)
// Leans on: key_id
MERGE (k:Key {id: $id})
SET k = $row
