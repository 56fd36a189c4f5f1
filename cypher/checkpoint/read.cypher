// A checkpoint's texts.
// Takes: g, seq
// Gives: kind (state or rest), text, one part a record, in order; none where there is no such checkpoint
// Leans on: checkpoint_seq
MATCH (x:Checkpoint {g: $g, seq: $seq})
WITH x ORDER BY x.kind, x.number
RETURN x.kind AS kind, x.text AS text
