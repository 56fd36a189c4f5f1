"""Rho graphs in GraphQL (M13-M16): what one operation reads of them, pages of lists, limits."""
