"""What the table is drawn with: each widget shows a value it is given and posts facts."""
