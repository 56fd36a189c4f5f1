// A key by its record id, with whether it is the operator's.
// Takes: id
// Leans on: key_id, account_name
MATCH (k:Key {id: $id})
OPTIONAL MATCH (a:Account {name: k.account})
RETURN properties(k) AS key, a.operator = k.id AS operator
