// The record id of the operator's key, if there is one.
// Takes: name (the account's)
// Leans on: account_name
MATCH (a:Account {name: $name})
RETURN a.operator AS operator
