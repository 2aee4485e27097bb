"""How the site is made of the pages that docs/pages.py lays out."""

project = "vcontract"
author = project_copyright = "The vcontract contributors"

extensions = ["myst_parser"]
myst_heading_anchors = 6
highlight_language = "none"
# what is shown is real output, shortened by … where it is long, which is then no JSON
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_title = "vcontract"
html_baseurl = "https://vcontract.github.io/vcontract/"
html_copy_source = html_use_index = False
