// Lines of a keyframe that has not come as a whole, in the order in which they came.
// Takes: g, seq, arrival (number of the event that came last before them)
// Gives: text, one line a record
// Leans on: checkpoint_seq
MATCH (x:Checkpoint {g: $g, seq: $seq})
WHERE x.arrival = $arrival
WITH x ORDER BY x.number
RETURN x.text AS text
