"""The desk: a page on this machine where pictures are dropped and answers are decided.

`journal` keeps pictures and decisions in a file, `desk` recognizes and searches, `app` answers the
page (page.html, page.css, page.js). Only the command ``nrcdt desk`` imports this room, because it
needs Starlette and uvicorn. A module here may import `_commands` and public names.
"""
