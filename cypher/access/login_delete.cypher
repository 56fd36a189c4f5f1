// Ends logins.
// Takes: ids (hashes)
// Leans on: login_id
UNWIND $lists.ids AS id
MATCH (l:Login {id: id})
DELETE l
