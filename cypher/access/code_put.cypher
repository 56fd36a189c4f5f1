// Keeps a one-time login code.
// Takes: id (its hash), key (the record id of the key it stands for), expires (Unix ms), challenge (of the tool that is to have it; null: a
//        person's browser)
// Leans on: login_code_id
MERGE (c:LoginCode {id: $id})
SET c.key = $key, c.expires = $expires, c.challenge = $challenge
