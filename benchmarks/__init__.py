"""Commands that measure: figures of the documentation come from here."""
