"""The command line: `agw`. Each command asks a running gateway, or opens the store itself (O14)."""
