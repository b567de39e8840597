"""Bytes on disk; no word of the domain."""
