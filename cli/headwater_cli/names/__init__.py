"""Commands for names of datasets: aliases and namespace rules."""
