-- Who owns what: searched by owner.
CREATE INDEX facet_ownership ON facet (owner) WHERE name = 'ownership';
