// Events by their keys.
// Takes: keys
// Gives: rows (lists of key and body)
// Leans on: rho_event_skey
UNWIND $lists.keys AS key
MATCH (v:RhoEvent {skey: key}) USING INDEX SEEK v:RhoEvent(skey)
RETURN collect([v.skey, v.body]) AS rows
