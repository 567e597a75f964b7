"""What a write carries beside the rows of the job: the derivations of its records, and the members of groups."""
