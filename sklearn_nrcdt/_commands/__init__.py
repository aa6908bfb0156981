"""The command line ``nrcdt`` and its HTML report, built from public names only.

`cli` reads the arguments; `demo`, `match`, `find`, `classify` and `features` are the commands.
`pictures` turns a folder into features and small pictures, `answers` has what `match` and `find`
share, `console` talks to the user and writes files, `report` fills the page ``report.html``.
"""
