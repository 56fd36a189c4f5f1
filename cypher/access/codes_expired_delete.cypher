// Deletes login codes that have expired.
// Takes: now (Unix ms)
// Leans on: login_code_expires
MATCH (c:LoginCode)
WHERE c.expires <= $now
DELETE c
