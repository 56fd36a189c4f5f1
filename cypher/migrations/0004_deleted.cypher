// Graphs that were deleted: their ids are not used again, and what is left of them is found.
CREATE CONSTRAINT deleted_id IF NOT EXISTS FOR (x:Deleted) REQUIRE x.id IS UNIQUE
;
CREATE INDEX deleted_left IF NOT EXISTS FOR (x:Deleted) ON (x.left)
