"""What the product does, once, for every door."""
