// Decisions about names have a label of their own, beside those about personal data: their number tells writers when to
// compute links between datasets again, and Neo4j keeps the number of each label.
MATCH (n:Decision) SET n:NameDecision;
