"""Players of Scorpion that choose among legal actions, and their evaluation on fixed deals."""
