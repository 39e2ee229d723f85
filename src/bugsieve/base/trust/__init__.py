"""The one door for files of others: what they may reach, and who has allowed it."""
