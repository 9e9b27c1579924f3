"""Content of a page besides the report: causes of sizes, drawings of the valid inputs, formulas to compute with."""
