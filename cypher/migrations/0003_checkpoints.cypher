// A checkpoint is read by its place. Ids of events that were trimmed are remembered, and forgotten part by part.
CREATE INDEX checkpoint_seq IF NOT EXISTS FOR (x:Checkpoint) ON (x.g, x.seq)
;
CREATE CONSTRAINT trimmed_key IF NOT EXISTS FOR (x:Trimmed) REQUIRE x.key IS UNIQUE
;
CREATE INDEX trimmed_part IF NOT EXISTS FOR (x:Trimmed) ON (x.g, x.part)
;
CREATE INDEX trimmed_g IF NOT EXISTS FOR (x:Trimmed) ON (x.g)
