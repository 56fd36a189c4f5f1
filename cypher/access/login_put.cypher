// Keeps a login.
// Takes: id (its hash), key (the record id of the key it came from), now, expires (Unix ms)
// Leans on: login_id
MERGE (l:Login {id: $id})
SET l.key = $key, l.created = $now, l.expires = $expires
