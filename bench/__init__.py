"""Speed checks (O32, O33): each against a floor or a limit, measured in the same run on generated, seeded data."""
