"""Groups become a solution: a tree, its bounds, and the statistics of the search."""
