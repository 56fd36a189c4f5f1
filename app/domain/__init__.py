"""What Agent Graph events mean: pure Python, no I/O, no clock."""
