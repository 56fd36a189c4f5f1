// Parts of a base's text.
// Takes: rows {parts ({g, seq, number, parts, ts, text})}
// Gives: parts (how many)
// Leans on: nothing
FOREACH (row IN $rows.parts | CREATE (x:Checkpoint) SET x = row)
RETURN size($rows.parts) AS parts
