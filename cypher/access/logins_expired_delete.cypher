// Deletes logins that have expired.
// Takes: now (Unix ms)
// Leans on: the few records of this label (one for each sign-in of the last thirty days)
MATCH (l:Login)
WHERE l.expires <= $now
DELETE l
