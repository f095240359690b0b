"""What a person fits: estimators, the path, near-optimal trees."""
