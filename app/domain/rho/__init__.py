"""The Rho execution graph, `rho.graph/v1`: read, checked, hashed, prepared, scheduled, built. Pure: no I/O, no clock."""
