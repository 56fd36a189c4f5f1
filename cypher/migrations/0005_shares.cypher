// Live shares: what is known of the chunks that came (I5, I6, I32), and the secret that write tokens are made with.
CREATE CONSTRAINT chunk_key IF NOT EXISTS FOR (x:Chunk) REQUIRE x.key IS UNIQUE
;
CREATE INDEX chunk_graph IF NOT EXISTS FOR (x:Chunk) ON (x.graph)
;
CREATE CONSTRAINT secret_name IF NOT EXISTS FOR (x:Secret) REQUIRE x.name IS UNIQUE
