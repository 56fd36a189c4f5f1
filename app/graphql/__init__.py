"""The GraphQL door: translates requests to services, and rows to answers. It decides nothing."""
