// How many indexes are still being filled.
// Takes: nothing
SHOW INDEXES YIELD state
WHERE state <> 'ONLINE'
RETURN count(*) AS number
