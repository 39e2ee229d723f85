"""What a sample says of what it was drawn from: shares, risks and the limits that hold."""
