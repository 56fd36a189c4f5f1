// What has expired is found by when it did.
CREATE INDEX login_expires IF NOT EXISTS FOR (x:Login) ON (x.expires)
;
CREATE INDEX login_code_expires IF NOT EXISTS FOR (x:LoginCode) ON (x.expires)
