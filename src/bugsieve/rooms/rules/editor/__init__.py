"""An editor of rules as one page of HTML, which needs no network."""
