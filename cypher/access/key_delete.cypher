// Deletes a key.
// Takes: id
// Leans on: key_id
MATCH (k:Key {id: $id})
DELETE k
