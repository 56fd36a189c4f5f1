// Rho graphs: snapshots with their facts, uploads, and the names by which the nodes of both worlds find each other.
// Ids and attributes of local graphs have no bounds, so what is looked up by them is a hash.
CREATE CONSTRAINT rho_graph_key IF NOT EXISTS FOR (x:RhoGraph) REQUIRE x.key IS UNIQUE
;
CREATE INDEX rho_graph_account IF NOT EXISTS FOR (x:RhoGraph) ON (x.account)
;
CREATE INDEX rho_graph_named IF NOT EXISTS FOR (x:RhoGraph) ON (x.named)
;
CREATE CONSTRAINT rho_snapshot_key IF NOT EXISTS FOR (x:RhoSnapshot) REQUIRE x.key IS UNIQUE
;
CREATE CONSTRAINT rho_node_skey IF NOT EXISTS FOR (x:RhoNode) REQUIRE x.skey IS UNIQUE
;
CREATE INDEX rho_node_mirrors IF NOT EXISTS FOR (x:RhoNode) ON (x.mirrors)
;
CREATE CONSTRAINT rho_event_skey IF NOT EXISTS FOR (x:RhoEvent) REQUIRE x.skey IS UNIQUE
;
CREATE CONSTRAINT rho_sync_key IF NOT EXISTS FOR (x:RhoSync) REQUIRE x.key IS UNIQUE
;
CREATE INDEX rho_sync_project IF NOT EXISTS FOR (x:RhoSync) ON (x.project)
;
CREATE INDEX node_rho IF NOT EXISTS FOR (x:Node) ON (x.rho)
;
CREATE INDEX node_rho_hashed IF NOT EXISTS FOR (x:Node) ON (x.rho_hashed)
;
CREATE INDEX graph_g IF NOT EXISTS FOR (x:Graph) ON (x.g)
