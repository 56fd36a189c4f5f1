// Keeps a login.
// Takes: id (its hash), key (the record id of the key it came from), now, expires (Unix ms), use (`tool`: it is good
//        for ingest alone; null: for a person's browser)
// Leans on: login_id
MERGE (l:Login {id: $id})
SET l.key = $key, l.created = $now, l.expires = $expires, l.use = $use
