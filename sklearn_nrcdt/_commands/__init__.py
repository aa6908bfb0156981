"""The command line ``nrcdt`` and its HTML report, built from public names only.

`cli` reads the arguments; `demo`, `match`, `find`, `classify` and `features` are the commands.
`folder` reads pictures and computes features, `answers` has what `match` and `find` share,
`console` talks to the user and writes files, `report` fills the page ``report.html`` with small
`pictures`.
"""
