"""The companion dialect."""
