"""optitree and its peers, each behind one function, in processes of their own."""
