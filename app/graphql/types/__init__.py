"""The types of the schema, as `spec` names them; each field says what it shows, and services say what is true."""
