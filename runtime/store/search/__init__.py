"""Search: keyword, semantic and hybrid search, filters, ranking and counts."""
