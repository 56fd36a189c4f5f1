// Whether something is left of a deleted graph.
// Takes: id
// Gives: left (1: something, 0: nothing); no answer where none of that id was deleted
// Leans on: deleted_id
MATCH (x:Deleted {id: $id})
RETURN x.left AS left
