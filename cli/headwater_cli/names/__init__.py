"""Commands about names of datasets: aliases and namespace rules."""
