"""Rho graphs: taking them in, giving them back, walking them, and how they and Agent Graph mirror each other."""
