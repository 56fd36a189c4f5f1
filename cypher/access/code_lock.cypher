// Takes a login code's lock for the rest of the transaction.
// Takes: id (its hash)
// Leans on: login_code_id
MATCH (c:LoginCode {id: $id})
SET c.lock = coalesce(c.lock, 0) + 1
