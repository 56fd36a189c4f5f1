"""Agent Graph Gateway: a self-hosted server for watching fleets of coding agents."""
