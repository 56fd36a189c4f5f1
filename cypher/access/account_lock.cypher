// Makes an account if it is new, and takes its lock for the rest of the transaction.
// Takes: name, now (Unix ms)
// Gives: operator (record id of the operator's key; null but for the account `local`)
// Leans on: account_name
MERGE (a:Account {name: $name})
  ON CREATE SET a.created = $now
SET a.lock = coalesce(a.lock, 0) + 1
RETURN a.operator AS operator
