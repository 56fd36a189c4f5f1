// Ends the logins that came from a key.
// Takes: key (the key's record id)
// Leans on: login_key
MATCH (l:Login {key: $key})
DELETE l
