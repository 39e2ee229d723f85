"""Static checks of domains and problems: what is legal PDDL and still most likely a mistake."""
