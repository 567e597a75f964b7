"""Objects of the users' classes that functions hold, make and are; written before they were read."""
