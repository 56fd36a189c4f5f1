// Lines of a keyframe that has not come as a whole, kept until the rest of it comes (as parts of a checkpoint at a place where none can be).
// Takes: rows {parts ({g, seq, kind, number, arrival, event, text})}
// Leans on: nothing
FOREACH (row IN $rows.parts | CREATE (x:Checkpoint) SET x = row)
