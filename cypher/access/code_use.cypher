// Uses a login code up, if nobody has; the transaction holds its lock.
// Takes: id (its hash), now (Unix ms), challenge (as in `access/code_put`)
// Gives: key (record id)
// Leans on: login_code_id
MATCH (c:LoginCode {id: $id})
WHERE c.used IS NULL AND c.expires > $now AND coalesce(c.challenge, '') = coalesce($challenge, '')
SET c.used = $now
RETURN c.key AS key
