// Deletes logins that have expired.
// Takes: now (Unix ms)
// Leans on: login_expires
MATCH (l:Login)
WHERE l.expires <= $now
DELETE l
