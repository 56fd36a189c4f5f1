"""The demo fleet: seeded, pure generators of lifelike event logs, for `agw demo`, tests and benches. No clock, no I/O."""
