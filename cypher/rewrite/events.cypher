// Events of a history that is rewritten: late ones, and those that are there already and have another place, change list or number of nodes.
// No two ever swap places: each of those gets one that none had.
// Takes: rows {events (whole rows), events_set ({key, set (properties)})}
// Gives: counts by the same names
// Leans on: event_key
FOREACH (row IN $rows.events | CREATE (x:Event) SET x = row)
WITH size($rows.events) AS events
CALL { UNWIND $rows.events_set AS row MATCH (x:Event {key: row.key}) SET x += row.set RETURN count(*) AS events_set }
RETURN events, events_set
