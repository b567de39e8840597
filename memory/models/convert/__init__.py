"""Turning published 4-bit weights into an ONNX model; only the command that installs models comes here."""
