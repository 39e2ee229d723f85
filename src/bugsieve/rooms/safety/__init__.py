"""Safety testing: runs into danger that another policy would avoid."""
