"""A report on campaigns as one HTML file, which needs no network and no policy."""
