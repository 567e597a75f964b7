"""Names of datasets: in comes a source or target of a plan, out comes the OpenLineage dataset that it is."""
