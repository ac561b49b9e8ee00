"""The game server: rooms, connections, the journal and the bots."""
