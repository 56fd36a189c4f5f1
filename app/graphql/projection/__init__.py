"""Selections compiled to code that goes from rows to answers; what it cannot prove right is left to graphql-core."""
