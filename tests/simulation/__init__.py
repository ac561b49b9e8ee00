"""A whole world without sockets: servers, links, a disk, people and a clock, from one seed."""
