// How much of a dataset a change of its state replaced: WHOLE, PART, or empty where it is not known, as for all changes until
// now. Layouts have whole and whole_last where writes with them certainly replaced all of it.
MATCH (c:Change) WHERE c.replaced IS NULL SET c.replaced = '';
