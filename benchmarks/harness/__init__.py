"""From answers to records, judgements, reports and pictures."""
