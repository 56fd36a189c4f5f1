// Ids of dropped events that are remembered, for a new generation to remember too.
// Takes: g, part
// Gives: ids
// Leans on: trimmed_part, by full key
MATCH (x:Trimmed {g: $g, part: $part})
RETURN collect(x.id) AS ids
