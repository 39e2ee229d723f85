"""Measures by a sample what it was drawn from: shares, risks and the limits that hold."""
