"""Commands about the boundary of regions: what a job would write before it runs, and its split."""
