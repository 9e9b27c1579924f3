"""What a page shows besides the report: how sizes came about, where the model runs, formulas to compute with."""
