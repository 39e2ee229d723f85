"""Judging: cases in, findings out, in order and with memory; knows no store."""
