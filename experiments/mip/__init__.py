"""Regression trees as mixed-integer programs, solved with HiGHS: ORT (Dunn) and DTIP (Verwer and Zhang)."""
