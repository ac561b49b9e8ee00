"""The law of Sequoia: pure functions over frozen values, standard library only.

A game is a :class:`~sequoia_rules.state.GameState`. Whoever runs it asks
:func:`~sequoia_rules.game.decide` what a command leads to, and lets
:func:`~sequoia_rules.game.evolve` apply each event. Whoever only watches holds a
:class:`~sequoia_rules.view.GameView` and lets :func:`~sequoia_rules.view.fold` apply what
:func:`~sequoia_rules.view.redact` left of the same events. Randomness is never drawn here:
tokens and rolls come in as data. A finished game is written down, and read and checked again,
by :mod:`sequoia_rules.record`.
"""
