"""How fast and how right: one command for each question.

Beside other exact solvers (`run`), the solver alone (`hard`, `instructions`), against the paper's published trees
(`published`), on real and on large tables (`tables`, `scale`), and what each bound is worth (`ablation`).

Nothing here is part of the installed package. The data is read from the shared folder (see `cells`),
the peers (`pip install pystreed osrt`) are optional: one that is missing is reported as absent.
"""
