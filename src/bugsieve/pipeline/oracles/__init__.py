"""Oracles: is a test state a bug of the policy?"""
