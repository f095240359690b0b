"""The paper's experiments, one module and one command each: `python -m experiments NAME`.

`loss`, `controllability`, `time`, `validation`, `scalability`, `ablation`, `trace`, `trees` and `datasets` follow the
paper and its appendix; `baselines` runs ORT and DTIP, which it only names, as mixed-integer programs (`mip`); `beyond`
asks what the paper did not. What can be run here is run beside ours; what cannot (IAI, GUIDE, evtree) is read from the
published results (`published`) and named as such.

An experiment is a value (`experiment.Experiment`): cells, a function that measures one, a table and figures made of
what was measured. `runner` runs any of them: it goes on where it was stopped, and writes JSON lines, table and figures.
Data, solvers and records are those of `benchmarks`.
"""
