"""The graph database over Bolt, and nothing else: one small module for each family of statements."""
