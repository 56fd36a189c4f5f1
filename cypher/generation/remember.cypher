// Remembers ids of events that were dropped from an earlier generation.
// Takes: rows {ids ({key, id, g, part})}
// Leans on: trimmed_key
FOREACH (row IN $rows.ids | MERGE (x:Trimmed {key: row.key}) SET x = row)
