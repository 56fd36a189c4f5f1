"""The GraphQL door: translates requests to services, and rows to answers. It decides nothing."""

from app.graphql.http import graphql_routes
from app.graphql.running import execute
from app.graphql.schema import sdl as print_schema

__all__ = ["execute", "graphql_routes", "print_schema"]
