// Parts of a checkpoint's texts.
// Takes: rows {parts ({g, seq, kind, number, event, ts, text})}
// Leans on: nothing
FOREACH (row IN $rows.parts | CREATE (x:Checkpoint) SET x = row)
