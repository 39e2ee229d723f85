"""Domains and models of our own: definitions, generators, pictures and deciders."""
