// Constraints and indexes of the whole model, access included.
// Every key is a hash that holds the graph's store key `g`; `right`, `left` are a past state's interval slots.
// No index on a property of an edge, and no look-up by a prefix of a composite index whose later column changes.
CREATE CONSTRAINT graph_id IF NOT EXISTS FOR (x:Graph) REQUIRE x.id IS UNIQUE
;
CREATE INDEX graph_account IF NOT EXISTS FOR (x:Graph) ON (x.account)
;
CREATE CONSTRAINT event_key IF NOT EXISTS FOR (x:Event) REQUIRE x.key IS UNIQUE
;
CREATE CONSTRAINT event_seq IF NOT EXISTS FOR (x:Event) REQUIRE (x.g, x.seq) IS UNIQUE
;
CREATE CONSTRAINT event_arrival IF NOT EXISTS FOR (x:Event) REQUIRE (x.g, x.arrival) IS UNIQUE
;
CREATE CONSTRAINT event_by_ref IF NOT EXISTS FOR (x:Event) REQUIRE x.by_ref IS UNIQUE
;
CREATE INDEX event_bucket IF NOT EXISTS FOR (x:Event) ON (x.g, x.bucket)
;
CREATE CONSTRAINT node_key IF NOT EXISTS FOR (x:Node) REQUIRE x.key IS UNIQUE
;
CREATE INDEX node_g IF NOT EXISTS FOR (x:Node) ON (x.g)
;
CREATE CONSTRAINT node_version_key IF NOT EXISTS FOR (x:NodeVersion) REQUIRE x.key IS UNIQUE
;
CREATE INDEX node_version_right IF NOT EXISTS FOR (x:NodeVersion) ON (x.right)
;
CREATE INDEX node_version_left IF NOT EXISTS FOR (x:NodeVersion) ON (x.left)
;
CREATE INDEX node_version_until IF NOT EXISTS FOR (x:NodeVersion) ON (x.g, x.until)
;
CREATE CONSTRAINT task_key IF NOT EXISTS FOR (x:Task) REQUIRE x.key IS UNIQUE
;
CREATE INDEX task_g IF NOT EXISTS FOR (x:Task) ON (x.g)
;
CREATE INDEX task_node IF NOT EXISTS FOR (x:Task) ON (x.node)
;
CREATE CONSTRAINT task_version_key IF NOT EXISTS FOR (x:TaskVersion) REQUIRE x.key IS UNIQUE
;
CREATE INDEX task_version_right IF NOT EXISTS FOR (x:TaskVersion) ON (x.right)
;
CREATE INDEX task_version_left IF NOT EXISTS FOR (x:TaskVersion) ON (x.left)
;
CREATE INDEX task_version_until IF NOT EXISTS FOR (x:TaskVersion) ON (x.g, x.until)
;
CREATE INDEX task_version_node IF NOT EXISTS FOR (x:TaskVersion) ON (x.node)
;
CREATE CONSTRAINT wait_key IF NOT EXISTS FOR (x:Wait) REQUIRE x.key IS UNIQUE
;
CREATE INDEX wait_g IF NOT EXISTS FOR (x:Wait) ON (x.g)
;
CREATE INDEX wait_node IF NOT EXISTS FOR (x:Wait) ON (x.node)
;
CREATE CONSTRAINT wait_version_key IF NOT EXISTS FOR (x:WaitVersion) REQUIRE x.key IS UNIQUE
;
CREATE INDEX wait_version_right IF NOT EXISTS FOR (x:WaitVersion) ON (x.right)
;
CREATE INDEX wait_version_left IF NOT EXISTS FOR (x:WaitVersion) ON (x.left)
;
CREATE INDEX wait_version_until IF NOT EXISTS FOR (x:WaitVersion) ON (x.g, x.until)
;
CREATE INDEX wait_version_node IF NOT EXISTS FOR (x:WaitVersion) ON (x.node)
;
CREATE CONSTRAINT spawn_key IF NOT EXISTS FOR (x:Spawn) REQUIRE x.key IS UNIQUE
;
CREATE INDEX spawn_g IF NOT EXISTS FOR (x:Spawn) ON (x.g)
;
CREATE INDEX spawn_node IF NOT EXISTS FOR (x:Spawn) ON (x.node)
;
CREATE CONSTRAINT spawn_version_key IF NOT EXISTS FOR (x:SpawnVersion) REQUIRE x.key IS UNIQUE
;
CREATE INDEX spawn_version_right IF NOT EXISTS FOR (x:SpawnVersion) ON (x.right)
;
CREATE INDEX spawn_version_left IF NOT EXISTS FOR (x:SpawnVersion) ON (x.left)
;
CREATE INDEX spawn_version_until IF NOT EXISTS FOR (x:SpawnVersion) ON (x.g, x.until)
;
CREATE INDEX spawn_version_node IF NOT EXISTS FOR (x:SpawnVersion) ON (x.node)
;
CREATE CONSTRAINT message_key IF NOT EXISTS FOR (x:Message) REQUIRE x.key IS UNIQUE
;
CREATE INDEX message_g IF NOT EXISTS FOR (x:Message) ON (x.g)
;
CREATE INDEX message_node IF NOT EXISTS FOR (x:Message) ON (x.node)
;
CREATE CONSTRAINT message_version_key IF NOT EXISTS FOR (x:MessageVersion) REQUIRE x.key IS UNIQUE
;
CREATE INDEX message_version_right IF NOT EXISTS FOR (x:MessageVersion) ON (x.right)
;
CREATE INDEX message_version_left IF NOT EXISTS FOR (x:MessageVersion) ON (x.left)
;
CREATE INDEX message_version_until IF NOT EXISTS FOR (x:MessageVersion) ON (x.g, x.until)
;
CREATE INDEX message_version_node IF NOT EXISTS FOR (x:MessageVersion) ON (x.node)
;
CREATE INDEX checkpoint_g IF NOT EXISTS FOR (x:Checkpoint) ON (x.g)
;
CREATE CONSTRAINT account_name IF NOT EXISTS FOR (x:Account) REQUIRE x.name IS UNIQUE
;
CREATE CONSTRAINT key_id IF NOT EXISTS FOR (x:Key) REQUIRE x.id IS UNIQUE
;
CREATE INDEX key_account IF NOT EXISTS FOR (x:Key) ON (x.account)
;
CREATE CONSTRAINT login_id IF NOT EXISTS FOR (x:Login) REQUIRE x.id IS UNIQUE
;
CREATE INDEX login_key IF NOT EXISTS FOR (x:Login) ON (x.key)
;
CREATE CONSTRAINT login_code_id IF NOT EXISTS FOR (x:LoginCode) REQUIRE x.id IS UNIQUE
;
CREATE INDEX login_code_key IF NOT EXISTS FOR (x:LoginCode) ON (x.key)
