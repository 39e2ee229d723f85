"""Tables and pictures made from campaign folders."""
