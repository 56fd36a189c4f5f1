// Makes a key the operator's.
// Takes: name (the account's), id (the key's record id)
// Leans on: account_name
MATCH (a:Account {name: $name})
SET a.operator = $id
