"""Bugs: objectives, verdicts, certificates, their checker, replay and minimisation."""
