// The server's secret of a name, made if there is none: the same for every process.
// Takes: name, value (for the case that there is none)
// Gives: value
// Leans on: secret_name
MERGE (x:Secret {name: $name})
  ON CREATE SET x.value = $value
RETURN x.value AS value
