// Parts of a base's text.
// Takes: rows {parts ({g, seq, number, ts, text})}
// Leans on: nothing
FOREACH (row IN $rows.parts | CREATE (x:Checkpoint) SET x = row)
