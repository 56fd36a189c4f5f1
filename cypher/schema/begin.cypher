// What migrations themselves need, made before the first one; running it again does nothing.
// Takes: nothing
CREATE CONSTRAINT migration_number IF NOT EXISTS FOR (m:Migration) REQUIRE m.number IS UNIQUE
