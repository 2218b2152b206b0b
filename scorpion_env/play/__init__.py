"""``scorpion play``: a person plays in the terminal (extra ``play``)."""
