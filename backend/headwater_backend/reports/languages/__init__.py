"""The words of reports, a catalogue for each language."""
