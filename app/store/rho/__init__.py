"""Rho graphs in the store: snapshots that are written once and never change, and what points to them."""
