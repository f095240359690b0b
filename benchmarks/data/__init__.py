"""What is measured: cells of binarised datasets, their groups, raw tables."""
