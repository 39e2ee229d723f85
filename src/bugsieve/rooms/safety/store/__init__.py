"""The folder of a safety campaign: store, bug files and export."""
