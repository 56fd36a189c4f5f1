// Deletes the unused login codes that came from a key.
// Takes: key (the key's record id)
// Leans on: login_code_key
MATCH (c:LoginCode {key: $key})
DELETE c
