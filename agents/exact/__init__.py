"""Tables small enough to be solved: finding them, solving them, and what is known of them then."""
