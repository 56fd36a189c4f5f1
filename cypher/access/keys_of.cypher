// All keys of an account, as one list.
// Takes: account
// Leans on: key_account
MATCH (k:Key {account: $account})
RETURN collect(properties(k)) AS keys
