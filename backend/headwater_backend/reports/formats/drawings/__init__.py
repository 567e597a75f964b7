"""Pictures in reports, as SVG without fonts, styles or links of their own."""
