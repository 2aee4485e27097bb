// The tools of vcontract, contract 0.1.0.
// Made from spec/ by codegen; run `make generate`, never edit.
// Schema: sha256:952672c9c07e612cdb297d1d2abf95b3458dbfac82961a4a77817bb667395b23
//
// Every value that fits the schema fits its type. Types do not hold bounds, patterns and formats, nor
// rules that depend on other members: the JSON Schema has them all. An optional member may be absent;
// null is allowed only where a type says so. Objects that are open admit further members of any type.

/** Every tool: what it takes and what it answers. */
export type Tools = {
  /**
   * The JSON Schema, an example and the errors of one tool's response; without tool_name, the list of all
   * tools.
   */
  describe_response_shape: {
    params: DescribeResponseShapeParams;
    response: DescribeResponseShapeResponse;
  };
  /**
   * Include groups, search modes, filters, paging, byte budgets, limits and tools of this server. Call it
   * first and keep the answer.
   */
  vcon_capabilities: {
    params: VconCapabilitiesParams;
    response: VconCapabilitiesResponse;
  };
  /** Fetch one vCon, only the groups asked for, within a byte budget. */
  vcon_fetch: {
    params: VconFetchParams;
    response: VconFetchResponse;
  };
  /**
   * Search vCons by metadata or by words, one item a vCon. Words must all occur, in any part of the vCon; "a
   * phrase", OR and -not work; misspelled words are corrected only when nothing matches.
   */
  vcon_search: {
    params: VconSearchParams;
    response: VconSearchResponse;
  };
  /**
   * Store a new vCon. Legacy member names are translated and reported; a missing uuid and created_at are
   * filled in. There is no upsert: a uuid that exists is CONFLICT, which says whether the content is
   * identical.
   */
  create_vcon: {
    params: CreateVconParams;
    response: CreateVconResponse;
  };
  /** Delete a vCon and everything derived from it, at once and for good. confirm must be true. */
  delete_vcon: {
    params: DeleteVconParams;
    response: DeleteVconResponse;
  };
  /** The schema that validate_before_insert checks against, as one JSON Schema 2020-12 document. */
  get_schema: {
    params: GetSchemaParams;
    response: GetSchemaResponse;
  };
  /** Read one vCon with every member that was stored. vcon_fetch does the same within a byte budget. */
  get_vcon: {
    params: GetVconParams;
    response: GetVconResponse;
  };
  /**
   * Change top-level members of a vCon. A member that updates does not name is never touched. Component
   * arrays need append or replace; tags never change here.
   */
  update_vcon: {
    params: UpdateVconParams;
    response: UpdateVconResponse;
  };
};

export type ToolName = keyof Tools;

/** Parameters of describe_response_shape. */
export type DescribeResponseShapeParams = {
  /**
   * A name from tools/list; leave out for the list.
   * @minLength 1
   * @maxLength 64
   */
  tool_name?: string;
  /**
   * Also return an example response.
   * @default true
   */
  include_example?: boolean;
  /**
   * Largest answer in bytes; a larger one is the error RESPONSE_TOO_LARGE, never cut.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
};

/** The success of describe_response_shape. */
export type DescribeResponseShapeResult =
  | {
      ok: true;
      item: {
        /** The tool's name. */
        tool_name: string;
        /** The toolset it belongs to. */
        toolset: string;
        /** Its title. */
        title: string;
        /** item, page, success or document. */
        envelope: string;
        /** experimental, beta or stable. */
        stability: string;
        /** The output schema, as in tools/list. */
        schema: Record<string, unknown>;
        /** A response that fits the schema. */
        example?: Record<string, unknown>;
        /** Sizes: example, and per_item for pages. */
        typical_bytes: Record<string, unknown>;
        /** The errors this tool can answer with. */
        errors: Array<{
          /** The error code. */
          code: string;
          /** Whether the same call may succeed later. */
          retryable: boolean;
          /** What it means. */
          message: string;
          /** The schema of its details. */
          details_schema: Record<string, unknown>;
          [member: string]: unknown;
        }>;
        [member: string]: unknown;
      };
      meta: {
        /** Bytes of this answer as text, counting this number. */
        response_bytes: number;
        /** The budget of the call. */
        max_response_bytes: number;
        [member: string]: unknown;
      };
      [member: string]: unknown;
    }
  | {
      ok: true;
      items: Array<{
        /** The tool's name. */
        tool_name: string;
        /** The toolset it belongs to. */
        toolset: string;
        /** Its title. */
        title: string;
        /** item, page, success or document. */
        envelope: string;
        /** experimental, beta or stable. */
        stability: string;
        /** Sizes: example, and per_item for pages. */
        typical_bytes: Record<string, unknown>;
        [member: string]: unknown;
      }>;
      page: {
        /** Send it back as cursor for the next page; null when nothing follows. */
        next_cursor: string | null;
        /** Number of tools. */
        count: number;
        [member: string]: unknown;
      };
      meta: {
        /** Bytes of this answer as text, counting this number. */
        response_bytes: number;
        /** The budget of the call. */
        max_response_bytes: number;
        [member: string]: unknown;
      };
      [member: string]: unknown;
    };

/** The error of describe_response_shape. */
export type DescribeResponseShapeError = {
  ok: false;
  error: {
    code:
      | "INVALID_ARGUMENT"
      | "INTERNAL"
      | "PERMISSION_DENIED"
      | "RATE_LIMIT_EXCEEDED"
      | "RESPONSE_TOO_LARGE"
      | "UNKNOWN_TOOL";
    message: string;
    details?: Record<string, unknown>;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** What describe_response_shape answers. */
export type DescribeResponseShapeResponse = DescribeResponseShapeResult | DescribeResponseShapeError;

/** Parameters of vcon_capabilities. */
export type VconCapabilitiesParams = Record<string, never>;

/** The success of vcon_capabilities. */
export type VconCapabilitiesResult = {
  ok: true;
  item: {
    /** Name, version and digest of the contract; the digest changes when anything a client sees changes. */
    contract: {
      /** The server's name. */
      name: string;
      /** Semantic version of the contract. */
      version: string;
      /** sha256 of the served tools. */
      digest: string;
      [member: string]: unknown;
    };
    /** The include groups. */
    supported_includes: string[];
    /** By tool, the groups returned when include is left out. */
    default_includes: Record<string, unknown>;
    /** The modes of vcon_search. */
    search_modes: Array<{
      /** The value of mode. */
      mode: string;
      /** Parameters it needs. */
      requires: string[];
      /** Parameters it takes. */
      accepts: string[];
      /** Parameters that are an error in it. */
      rejects: string[];
      /** Whether items have a score. */
      ranked: boolean;
      /** Whether page.total is given. */
      total: boolean;
      [member: string]: unknown;
    }>;
    /** How to follow pages. */
    pagination_semantics: Record<string, unknown>;
    /** The parameter, its default and bounds, and the error. */
    byte_budgets: Record<string, unknown>;
    /** Legacy names and what replaces them. */
    migration_hints: Array<Record<string, unknown>>;
    /** Toolsets and the tools this caller may use. */
    toolsets: Array<{
      /** The toolset. */
      id: string;
      /** Its title. */
      title: string;
      /** Whether it is served. */
      enabled: boolean;
      /** Tool names. */
      tools: string[];
      [member: string]: unknown;
    }>;
    /** The filters of vcon_search: name, type, meaning. */
    filters: Array<Record<string, unknown>>;
    /** Bounds of queries and values. */
    limits: Record<string, unknown>;
    /** Calls by class. */
    rate_limits: Record<string, unknown>;
    /** vCon versions, the latest, and supported extensions. */
    vcon: Record<string, unknown>;
    /** What this caller may do. */
    access: Record<string, unknown>;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** The error of vcon_capabilities. */
export type VconCapabilitiesError = {
  ok: false;
  error: {
    code: "INVALID_ARGUMENT" | "INTERNAL" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
    message: string;
    details?: Record<string, unknown>;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** What vcon_capabilities answers. */
export type VconCapabilitiesResponse = VconCapabilitiesResult | VconCapabilitiesError;

/** Parameters of vcon_fetch. */
export type VconFetchParams = {
  /** The vCon's id; or give uuid, which is the same. */
  id?: string;
  /** The vCon's uuid; one of id and uuid is needed. */
  uuid?: string;
  /** Groups of members to return; default core, parties, summary. */
  include?: IncludeGroups;
  /**
   * Largest answer in bytes; a larger one is the error RESPONSE_TOO_LARGE, never cut.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
};

/** Groups of members to return; core always is. */
export type IncludeGroups = Array<
  | "core"
  | "parties"
  | "summary"
  | "tags"
  | "dealer"
  | "counts"
  | "dialog"
  | "analysis"
  | "attachments">;

/** The success of vcon_fetch. */
export type VconFetchResult = {
  ok: true;
  item: Item;
  meta: {
    /** The groups in this answer. */
    include: string[];
    /** Bytes of this answer as text, counting this number. */
    response_bytes: number;
    /** The budget of the call. */
    max_response_bytes: number;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** One vCon by include groups; a group not asked for is absent. */
export type Item = {
  /** The handle of these tools; equal to uuid. */
  id: string;
  /** The vCon's uuid. */
  uuid: string;
  /** When the conversation was made, RFC 3339 in UTC. */
  created_at: string;
  /** When it was last changed here, RFC 3339 in UTC. */
  updated_at: string;
  /** The vCon's own version, if it states one. */
  vcon_version?: string;
  /** The subject, if it has one. */
  subject?: string;
  /** Extensions it names. */
  extensions?: string[];
  /** Extensions a reader must support. */
  critical?: string[];
  /** The less redacted version it was made from. */
  redacted?: Record<string, unknown>;
  /** The earlier version it adds to. */
  amended?: Record<string, unknown>;
  /** Further top-level members; get_vcon has their values. */
  other_members?: string[];
  /** Group parties: whole, in order. */
  parties?: Array<Record<string, unknown>>;
  /** Group summary: the analyses of type summary as text. */
  summary?: Array<{
    /** Position in analysis. */
    analysis_index: number;
    /** The analysis type as stored. */
    type?: string;
    /** Who made it. */
    vendor?: string;
    /** What made it. */
    product?: string;
    /** Its format. */
    schema?: string;
    /** The dialogs it was made from. */
    dialog?: number | number[];
    /** The text, uncut. */
    text: string;
    [member: string]: unknown;
  }>;
  tags?: Tags;
  /** Group dealer: null when no attachment names one. */
  dealer?: {
    /** Dealer id as text. */
    id: string;
    /** Dealer name. */
    name?: string;
    /** The attachment purpose it was read from. */
    source: string;
    [member: string]: unknown;
  } | null;
  counts?: Counts;
  /** Group dialog: whole, in order. */
  dialog?: Array<Record<string, unknown>>;
  /** Group analysis: whole, in order. */
  analysis?: Array<Record<string, unknown>>;
  /** Group attachments: whole, in order, each with its effective purpose. */
  attachments?: Array<Record<string, unknown>>;
  [member: string]: unknown;
};

/** Tags with their typed values. */
export type Tags = Record<string, string | number | boolean>;

/** Lengths of the four arrays. */
export type Counts = {
  /** Number of parties. */
  parties: number;
  /** Number of dialogs. */
  dialog: number;
  /** Number of analyses. */
  analysis: number;
  /** Number of attachments. */
  attachments: number;
  [member: string]: unknown;
};

/** The error of vcon_fetch. */
export type VconFetchError = {
  ok: false;
  error: {
    code:
      | "INVALID_ARGUMENT"
      | "NOT_FOUND"
      | "INTERNAL"
      | "PERMISSION_DENIED"
      | "RATE_LIMIT_EXCEEDED"
      | "RESPONSE_TOO_LARGE";
    message: string;
    details?: Record<string, unknown>;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** What vcon_fetch answers. */
export type VconFetchResponse = VconFetchResult | VconFetchError;

/** Parameters of vcon_search. */
export type VconSearchParams = {
  mode: SearchMode;
  /**
   * The words to match; needed in mode keyword and refused in mode metadata.
   * @minLength 1
   * @maxLength 2000
   */
  query?: string;
  filters?: SearchFilters;
  /** Groups of members to return; default core, summary. */
  include?: IncludeGroups;
  /**
   * Largest answer in bytes; a larger one is the error RESPONSE_TOO_LARGE, never cut.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
  /**
   * Most items of one page.
   * @default 25
   * @minimum 1
   * @maximum 100
   */
  limit?: number;
  /**
   * page.next_cursor of the page before; repeat the same arguments with it.
   * @minLength 1
   * @maxLength 1024
   */
  cursor?: string;
};

/** metadata: newest first, filters only. keyword: ranked by the words of query. */
export type SearchMode = "metadata" | "keyword";

/** All must hold. Tag keys and values are exact; the text filters match any part, case folded. */
export type SearchFilters = {
  /**
   * Part of the subject.
   * @minLength 1
   * @maxLength 1000
   */
  subject?: string;
  /**
   * Part of a party's name.
   * @minLength 1
   * @maxLength 1000
   */
  party_name?: string;
  /**
   * Part of a party's e-mail address.
   * @minLength 1
   * @maxLength 1000
   */
  party_email?: string;
  /**
   * Digits within a party's phone number, at least 3.
   * @minLength 1
   * @maxLength 100
   */
  party_tel?: string;
  /**
   * Created at or after: YYYY-MM-DD or RFC 3339.
   * @maxLength 64
   */
  start_date?: string;
  /**
   * Created before; a bare day is included whole.
   * @maxLength 64
   */
  end_date?: string;
  /**
   * Exact dealer id.
   * @minLength 1
   * @maxLength 255
   */
  dealer_id?: string;
  /**
   * Part of the dealer's name.
   * @minLength 1
   * @maxLength 255
   */
  dealer_name?: string;
  /** Tag pairs that must all be there; values compare as text. */
  tags?: Record<string, string | number | boolean>;
};

/** The success of vcon_search. */
export type VconSearchResult = {
  ok: true;
  items: Array<{
    /** The handle of these tools; equal to uuid. */
    id: string;
    /** The vCon's uuid. */
    uuid: string;
    /** When the conversation was made, RFC 3339 in UTC. */
    created_at: string;
    /** When it was last changed here, RFC 3339 in UTC. */
    updated_at: string;
    /** The vCon's own version, if it states one. */
    vcon_version?: string;
    /** The subject, if it has one. */
    subject?: string;
    /** Extensions it names. */
    extensions?: string[];
    /** Extensions a reader must support. */
    critical?: string[];
    /** The less redacted version it was made from. */
    redacted?: Record<string, unknown>;
    /** The earlier version it adds to. */
    amended?: Record<string, unknown>;
    /** Further top-level members; get_vcon has their values. */
    other_members?: string[];
    /** Group parties: whole, in order. */
    parties?: Array<Record<string, unknown>>;
    /** Group summary: the analyses of type summary as text. */
    summary?: Array<{
      /** Position in analysis. */
      analysis_index: number;
      /** The analysis type as stored. */
      type?: string;
      /** Who made it. */
      vendor?: string;
      /** What made it. */
      product?: string;
      /** Its format. */
      schema?: string;
      /** The dialogs it was made from. */
      dialog?: number | number[];
      /** The text, uncut. */
      text: string;
      [member: string]: unknown;
    }>;
    tags?: Tags;
    /** Group dealer: null when no attachment names one. */
    dealer?: {
      /** Dealer id as text. */
      id: string;
      /** Dealer name. */
      name?: string;
      /** The attachment purpose it was read from. */
      source: string;
      [member: string]: unknown;
    } | null;
    counts?: Counts;
    /** Group dialog: whole, in order. */
    dialog?: Array<Record<string, unknown>>;
    /** Group analysis: whole, in order. */
    analysis?: Array<Record<string, unknown>>;
    /** Group attachments: whole, in order, each with its effective purpose. */
    attachments?: Array<Record<string, unknown>>;
    /**
     * Mode keyword: how well it matches, comparable between calls.
     * @minimum 0
     * @maximum 1
     */
    score?: number;
    /** Mode keyword: why it matches. */
    match?: {
      /** exact, or fuzzy when words were corrected. */
      matching: string;
      /**
       * Rarer words and more places count more.
       * @minimum 0
       * @maximum 1
       */
      keyword_score: number;
      /** At most three places, best first. */
      hits: Array<{
        /** subject, party, dialog, analysis or attachment; may grow. */
        content_type: string;
        /** Position in its array; absent for the subject. */
        content_index?: number;
        /** Up to 300 characters around the words, which are in <mark>…</mark>. */
        snippet: string;
        /**
         * How well this place matches.
         * @minimum 0
         * @maximum 1
         */
        score: number;
        [member: string]: unknown;
      }>;
      [member: string]: unknown;
    };
    [member: string]: unknown;
  }>;
  page: {
    /** Send it back as cursor for the next page; null when nothing follows. */
    next_cursor: string | null;
    /** Items on this page. */
    count: number;
    /** Whether another page follows. */
    has_more: boolean;
    /** All matches, counted to 10,000. */
    total?: number;
    /** at_least when there are more than total; absent when total is exact. */
    total_relation?: string;
    [member: string]: unknown;
  };
  meta: {
    /** The mode of the search. */
    mode: string;
    /** The groups in this answer. */
    include: string[];
    /** The filters as applied. */
    filters: Record<string, unknown>;
    /** The instants of the date filters. */
    window?: {
      /** Created at or after. */
      from?: string;
      /** Created before. */
      to?: string;
      [member: string]: unknown;
    };
    /** Mode keyword: exact or fuzzy. */
    matching?: string;
    /** Words replaced because no vCon has them. */
    corrections?: Array<{
      /** The word of the query. */
      word: string;
      /** The word searched instead. */
      used: string;
      /** How close they are. */
      similarity: number;
      [member: string]: unknown;
    }>;
    /** How many vCons have each word of the query, whatever the filters. */
    words?: Array<{
      /** The word. */
      word: string;
      /** vCons that have it, counted to 10,000. */
      vcons: number;
      [member: string]: unknown;
    }>;
    /** Why nothing matched, and what is near. */
    hints?: Array<{
      /** value_not_seen, dealer_not_seen, words_never_together; may grow. */
      reason: string;
      /** The filter concerned. */
      filter?: string;
      /** Known values that are close. */
      nearest?: Array<Record<string, unknown>>;
      [member: string]: unknown;
    }>;
    /** The dealers that dealer_name fits. */
    dealers?: Array<{
      /** Dealer id. */
      id: string;
      /** Dealer name. */
      name?: string;
      /** vCons of this dealer. */
      count: number;
      [member: string]: unknown;
    }>;
    /**
     * Present when more vCons match than are ranked together; scores order vCons within each run of this
     * many, newest run first.
     */
    ranked_newest?: number;
    /** Bytes of this answer as text, counting this number. */
    response_bytes: number;
    /** The budget of the call. */
    max_response_bytes: number;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** The error of vcon_search. */
export type VconSearchError = {
  ok: false;
  error: {
    code:
      | "INVALID_ARGUMENT"
      | "INTERNAL"
      | "PERMISSION_DENIED"
      | "RATE_LIMIT_EXCEEDED"
      | "RESPONSE_TOO_LARGE"
      | "AMBIGUOUS_QUERY"
      | "CURSOR_INVALID";
    message: string;
    details?: Record<string, unknown>;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** What vcon_search answers. */
export type VconSearchResponse = VconSearchResult | VconSearchError;

/** Parameters of create_vcon. */
export type CreateVconParams = {
  /** The vCon; members not named here are kept. */
  vcon_data: {
    /** Syntax version, 0.4.0 or 0.3.0; may be left out. */
    vcon?: string;
    /** Made when left out. */
    uuid?: string;
    /** What the conversation is about. */
    subject?: string;
    /** RFC 3339; now when left out. */
    created_at?: string;
    /** RFC 3339. */
    updated_at?: string;
    /**
     * Who took part: name, tel, mailto, role.
     * @minItems 1
     * @maxItems 1000
     */
    parties: Array<Record<string, unknown>>;
    /** What was said: type, start, parties, mediatype, body, encoding. */
    dialog?: Array<Record<string, unknown>>;
    /** Results: type, vendor, body, encoding. */
    analysis?: Array<Record<string, unknown>>;
    /** Documents: purpose, start, party, dialog, body, encoding. */
    attachments?: Array<Record<string, unknown>>;
    /** Extensions used. */
    extensions?: string[];
    /** Extensions a reader must support. */
    critical?: string[];
    /** Legacy name of critical. */
    must_support?: string[];
    /** The less redacted version. */
    redacted?: Record<string, unknown>;
    /** The earlier version. */
    amended?: Record<string, unknown>;
    [member: string]: unknown;
  };
  metadata?: VconMetadataInput;
  /**
   * Refuse what the schema refuses; false stores it and reports it.
   * @default true
   */
  validate_before_insert?: boolean;
  /**
   * Also return the stored vCon.
   * @default false
   */
  return_vcon?: boolean;
};

/** Kept beside the vCon and returned in metadata. */
export type VconMetadataInput = {
  /**
   * Name without extension.
   * @maxLength 255
   */
  basename?: string;
  /**
   * Name of the file it came from.
   * @maxLength 255
   */
  filename?: string;
  /** Tags to set; they win over tags inside the vCon. */
  tags?: Record<string, string | number | boolean>;
  [member: string]: string | number | boolean | Record<string, unknown> | Array<Record<string, unknown>> | undefined;
};

/** The success of create_vcon. */
export type CreateVconResult = {
  success: true;
  /** The uuid of the stored vCon. */
  uuid: string;
  /** When the conversation was made. */
  created_at: string;
  /** When it was stored. */
  updated_at: string;
  conformance: Conformance;
  translated: Translated;
  warnings?: Warnings;
  vcon?: Vcon;
  /** True when the stored vCon is too large to be returned here. */
  vcon_omitted?: boolean;
  [member: string]: unknown;
};

/** How the stored vCon stands against the schema of its version. */
export type Conformance = {
  /** The schema version checked against. */
  version: string;
  /** Whether nothing was found. */
  valid: boolean;
  violations: Violations;
  /** All findings, also those beyond the 50 listed. */
  violation_count: number;
  /** Names in critical that this server does not support. */
  unsupported_critical?: string[];
  [member: string]: unknown;
};

/** What does not fit, each with the path from the arguments' root. */
export type Violations = Array<{
  /** Where, as $.vcon_data.dialog[0].type. */
  path: string;
  /** The rule that does not hold. */
  rule: string;
  /** What was found, what is allowed, what to do. */
  message: string;
  [member: string]: unknown;
}>;

/** Members renamed from legacy names. */
export type Translated = Array<{
  /** Where the member stands now. */
  path: string;
  /** The legacy name. */
  from: string;
  /** The current name it is stored under. */
  to: string;
  [member: string]: unknown;
}>;

/** What was accepted but deserves a look. Absent when empty. */
export type Warnings = Array<{
  /**
   * legacy_name, standard_base64, unsupported_critical, tag_ignored, would_violate, conversation_date_missing
   * and others; may grow.
   */
  code: string;
  /** Where in the vCon. */
  path?: string;
  /** What it means. */
  message: string;
  [member: string]: unknown;
}>;

/** A vCon, every stored member under its current name; get_schema has its schema. */
export type Vcon = {
  /** Its identity. */
  uuid: string;
  /** The syntax version, if it states one. */
  vcon?: string | null;
  /** When it was made. */
  created_at?: string | null;
  /** What it is about. */
  subject?: string | null;
  /** Who took part; the position is the identity. */
  parties?: Array<Record<string, unknown>> | null;
  /** What was said. */
  dialog?: Array<Record<string, unknown>> | null;
  /** Results computed from it. */
  analysis?: Array<Record<string, unknown>> | null;
  /** Documents and other records. */
  attachments?: Array<Record<string, unknown>> | null;
  [member: string]: unknown;
};

/** The error of create_vcon. */
export type CreateVconError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "CONFLICT"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: unknown[];
  [member: string]: unknown;
};

/** What create_vcon answers. */
export type CreateVconResponse = CreateVconResult | CreateVconError;

/** Parameters of delete_vcon. */
export type DeleteVconParams = {
  /** The vCon's uuid. */
  uuid: string;
  /** Must be true. */
  confirm: boolean;
  /**
   * false refuses when there is any dialog, analysis or attachment.
   * @default true
   */
  cascade_delete?: boolean;
};

/** The success of delete_vcon. */
export type DeleteVconResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The uuid that is gone. */
  deleted_uuid: string;
  deleted: Counts;
  [member: string]: unknown;
};

/** The error of delete_vcon. */
export type DeleteVconError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "CONFLICT"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: unknown[];
  [member: string]: unknown;
};

/** What delete_vcon answers. */
export type DeleteVconResponse = DeleteVconResult | DeleteVconError;

/** Parameters of get_schema. */
export type GetSchemaParams = {
  /**
   * The language of the schema.
   * @default "json_schema"
   */
  format?: "json_schema";
  /**
   * 0.3.0, 0.4.0 or latest.
   * @default "latest"
   */
  version?: string;
};

/** The success of get_schema. */
export type GetSchemaResult = {
  success: true;
  /** The language of the schema. */
  format: string;
  /** The vCon version it describes. */
  version: string;
  /** The schema itself. */
  schema: Record<string, unknown>;
  [member: string]: unknown;
};

/** The error of get_schema. */
export type GetSchemaError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: unknown[];
  [member: string]: unknown;
};

/** What get_schema answers. */
export type GetSchemaResponse = GetSchemaResult | GetSchemaError;

/** Parameters of get_vcon. */
export type GetVconParams = {
  /** The vCon's uuid. */
  uuid: string;
  /** The arrays to return; all when left out, none for an empty list. */
  include_components?: Array<"parties" | "dialog" | "analysis" | "attachments" | "all">;
  /**
   * Also return tags, counts, conformance and times.
   * @default true
   */
  include_metadata?: boolean;
};

/** The success of get_vcon. */
export type GetVconResult = {
  success: true;
  vcon: Vcon;
  metadata?: VconMetadata;
  [member: string]: unknown;
};

/** What the store knows beside the vCon itself. */
export type VconMetadata = {
  /** The basename given at creation. */
  basename?: string;
  /** The file name given at creation. */
  filename?: string;
  tags: Tags;
  counts: Counts;
  /** The verdict against the schema of its version. */
  conformance: {
    /** The schema version checked against. */
    version: string;
    /** Whether nothing was found. */
    valid: boolean;
    /** Number of findings. */
    violation_count: number;
    [member: string]: unknown;
  };
  /** When it was stored, RFC 3339 in UTC. */
  stored_at: string;
  /** When it was last changed, RFC 3339 in UTC. */
  updated_at: string;
  /** True for a vCon stored from a signed form. */
  signed?: boolean;
  [member: string]: unknown;
};

/** The error of get_vcon. */
export type GetVconError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: unknown[];
  [member: string]: unknown;
};

/** What get_vcon answers. */
export type GetVconResponse = GetVconResult | GetVconError;

/** Parameters of update_vcon. */
export type UpdateVconParams = {
  /** The vCon's uuid. */
  uuid: string;
  /** Top-level members to change; null removes a member. */
  updates: {
    /** What the conversation is about. */
    subject?: string | null;
    /** Extensions used. */
    extensions?: string[] | null;
    [member: string]: unknown;
  };
  /**
   * merge: RFC 7396 patch. replace: the value whole. append: arrays are added to the end.
   * @default "merge"
   */
  merge_strategy?: "replace" | "merge" | "append";
  /**
   * Refuse violations that were not there before.
   * @default true
   */
  validate_after_update?: boolean;
  /** The metadata.updated_at this change is based on; another one is CONFLICT. */
  expected_updated_at?: string;
};

/** The success of update_vcon. */
export type UpdateVconResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  uuid: string;
  updated_vcon?: Vcon;
  /** True when the updated vCon is too large to be returned here. */
  vcon_omitted?: boolean;
  /** The members that changed. */
  changed: string[];
  /** When it was last changed, RFC 3339 in UTC. */
  updated_at: string;
  conformance: Conformance;
  translated?: Translated;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of update_vcon. */
export type UpdateVconError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "CONFLICT"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: unknown[];
  [member: string]: unknown;
};

/** What update_vcon answers. */
export type UpdateVconResponse = UpdateVconResult | UpdateVconError;
