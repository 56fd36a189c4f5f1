// Deletes login codes that have expired.
// Takes: now (Unix ms)
// Leans on: the few records of this label (codes live ten minutes)
MATCH (c:LoginCode)
WHERE c.expires <= $now
DELETE c
