"""Made from spec/ by codegen; run `make generate`, never edit."""
