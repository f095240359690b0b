"""How fast and how right: one command for each question.

Beside other exact solvers (`run`, `absolute`); the solver alone (`hard`, `instructions`, `overhead`, `paths`); on
real and on large tables (`tables`, `real`, `choosing`, `scale`). Each is `python -m benchmarks.NAME`. The paper's
experiments, its published trees among them, are next door in `experiments`.

What they are made of flows one way: `data` -> `solvers` -> `harness` -> `parts` -> the commands.

Nothing here is part of the installed package. The data is read from the shared folder (see `data.cells`),
the peers (`pip install pystreed osrt`) are optional: one that is missing is reported as absent.
"""
