"""The graph databases that tests run on."""
