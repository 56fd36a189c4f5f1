// Takes away events of a deleted graph, once no state that ended there is left.
// Takes: g, seqs
// Gives: number (how many there were)
// Leans on: event_seq
UNWIND $lists.seqs AS s
MATCH (x:Event {g: $g, seq: s})
DELETE x
RETURN count(*) AS number
