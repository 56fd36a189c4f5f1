// The login among these that is on record, with the key it came from and whether that is the operator's.
// Takes: ids (hashes, at most 8), now (Unix ms), use (as in `access/login_put`)
// Leans on: login_id, key_id, account_name
UNWIND $lists.ids AS id
MATCH (l:Login {id: id})
WHERE l.expires > $now AND coalesce(l.use, '') = coalesce($use, '')
MATCH (k:Key {id: l.key})
OPTIONAL MATCH (a:Account {name: k.account})
RETURN l.id AS login, l.expires AS expires, properties(k) AS key, a.operator = k.id AS operator
LIMIT 1
