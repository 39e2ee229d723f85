"""Readers of files that hold policies, and servers that offer them."""
