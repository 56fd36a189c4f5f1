"""The REST door: the documented Agent Graph API, version 1. It translates requests to services, and rows to answers."""

from app.rest.http import rest_routes
from app.rest.openapi import print_openapi

__all__ = ["print_openapi", "rest_routes"]
