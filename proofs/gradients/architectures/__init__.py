"""Torch modules on which instances of proofs are measured; nothing here is imported before an instance is built."""
