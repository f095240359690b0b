"""Side-by-side runs against other exact solvers (`run`) and against the paper's published trees (`published`).

Nothing here is part of the installed package. The data is read from the shared folder (see `cells`),
the peers (`pip install pystreed osrt`) are optional: one that is missing is reported as absent.
"""
