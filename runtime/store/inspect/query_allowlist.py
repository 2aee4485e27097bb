"""Allowlist for clients' queries: expressions, functions and types. Everything else is rejected."""

from typing import Final

SYNTAX: Final = frozenset(
    """
    A_ArrayExpr A_Const A_Expr A_Indices A_Indirection A_Star Alias BitString BoolExpr Boolean BooleanTest
    CaseExpr CaseWhen CoalesceExpr CollateClause ColumnDef ColumnRef CommonTableExpr Float FuncCall
    GroupingFunc GroupingSet Integer JoinExpr List MinMaxExpr NamedArgExpr Node NullTest RangeFunction
    RangeSubselect RangeVar ResTarget RowExpr SQLValueFunction SelectStmt SortBy String SubLink TypeCast
    TypeName WindowDef WithClause
    """.split()
)
"""Allowed node types of PostgreSQL's parse tree."""

# Nothing here writes, waits, reads files or settings, runs text as a query, or produces much from little
# input (as repeat and generate_series do).
FUNCTIONS: Final = frozenset(
    """
    array_agg avg bit_and bit_or bool_and bool_or corr count covar_pop covar_samp every json_agg
    json_object_agg jsonb_agg jsonb_object_agg max min mode percentile_cont percentile_disc regr_slope
    stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance

    cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number

    ascii bit_length btrim char_length character_length chr concat concat_ws encode decode initcap
    is_normalized left length like_escape lower ltrim md5 normalize octet_length overlay position
    quote_literal quote_nullable regexp_count regexp_instr regexp_like regexp_match regexp_matches
    regexp_replace regexp_substr replace reverse right rtrim sha256 similar_to_escape split_part
    starts_with strpos substr substring to_hex translate upper

    abs cbrt ceil ceiling degrees div exp floor ln log log10 mod pi power radians round scale sign sqrt
    trunc width_bucket

    age clock_timestamp date date_bin date_part date_trunc extract isfinite justify_days justify_hours
    justify_interval make_date make_interval make_time make_timestamp make_timestamptz now overlaps
    statement_timestamp timestamp timestamptz timezone to_char to_date to_number to_timestamp
    transaction_timestamp

    json_array_elements json_array_elements_text json_array_length json_build_array json_build_object
    json_each json_each_text json_extract_path json_extract_path_text json_object_keys json_strip_nulls
    json_to_record json_to_recordset json_typeof jsonb_array_elements jsonb_array_elements_text
    jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_extract_path
    jsonb_extract_path_text jsonb_object_keys jsonb_path_exists jsonb_path_match jsonb_path_query
    jsonb_path_query_array jsonb_path_query_first jsonb_strip_nulls jsonb_to_record jsonb_to_recordset
    jsonb_typeof row_to_json to_json to_jsonb

    array_append array_cat array_length array_lower array_ndims array_position array_positions
    array_remove array_replace array_to_string array_upper cardinality string_to_array unnest

    numnode phraseto_tsquery plainto_tsquery querytree setweight strip to_tsquery to_tsvector ts_headline
    ts_rank ts_rank_cd tsvector_to_array websearch_to_tsquery

    bool bpchar float4 float8 hashtext int2 int4 int8 interval num_nonnulls num_nulls numeric text varchar
    """.split()
)

TYPES: Final = frozenset(
    """
    bit bool bpchar bytea char date float4 float8 int2 int4 int8 interval json jsonb jsonpath numeric text
    time timestamp timestamptz timetz tsquery tsvector uuid varbit varchar
    """.split()
)
"""Allowed types, by the catalog names that the grammar uses."""
