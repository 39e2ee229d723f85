"""Cost testing as a kind of campaigns."""
