"""Rules in English: sentences of a fixed form, and nested readings of any other formula."""
