// Forgets ids of events that were dropped long ago.
// Takes: g, parts
// Leans on: trimmed_part, by full key
UNWIND $lists.parts AS part
MATCH (x:Trimmed {g: $g, part: part})
DELETE x
