"""Things that several commands share: the parser, arguments, streams, signals, progress."""
