// What vcontract serves, contract 0.1.0.
// Made from spec/ by codegen; run `make generate`, never edit.
//
// Every value that fits the schema fits its type. Types do not hold bounds, patterns and formats, nor
// rules that depend on other members: the JSON Schema has them all. An optional member may be absent;
// null is allowed only where a type says so. Objects that are open admit further members of any type.

/** Every tool: what it takes and what it answers. */
export type Tools = {
  // Contract tools
  /** Return a tool's schemas, an example response and its errors. Without tool_name: a summary of all tools. */
  describe_response_shape: {
    params: DescribeResponseShapeParams;
    response: DescribeResponseShapeResponse;
  };
  /** List what this server supports: include groups, search modes, filters, limits and tools. */
  vcon_capabilities: {
    params: VconCapabilitiesParams;
    response: VconCapabilitiesResponse;
  };
  /**
   * Fetch one vCon with the groups you ask for. For what was said, give turns: numbered lines of text. A long
   * answer is cut; meta.left_out says how to get the rest.
   */
  vcon_fetch: {
    params: VconFetchParams;
    response: VconFetchResponse;
  };
  /**
   * Count tag keys, types, roles and other features of vCons, and how often two occur together. query and
   * filters select the vCons.
   */
  vcon_graph_shape: {
    params: VconGraphShapeParams;
    response: VconGraphShapeResponse;
  };
  /**
   * Call this first for a question. Returns the turns that answer it, with date (UTC), speaker and id, and
   * whether an answer is likely. vcon_fetch reads turns left out at ….
   */
  vcon_recall: {
    params: VconRecallParams;
    response: VconRecallResponse;
  };
  /** Search vCons by filters, words or meaning. Keyword: all words; "phrase", beg*, OR, NOT. */
  vcon_search: {
    params: VconSearchParams;
    response: VconSearchResponse;
  };
  /**
   * List tag keys and values, attachment and analysis types, and filled fields, with current counts. Use it
   * to write filters that match.
   */
  vcon_taxonomy: {
    params: VconTaxonomyParams;
    response: VconTaxonomyResponse;
  };
  // vCon tools
  /** Append an analysis, such as a summary or transcript, to a vCon. */
  add_analysis: {
    params: AddAnalysisParams;
    response: AddAnalysisResponse;
  };
  /** Append a document to a vCon. It requires purpose (or type, its older name). Use update_tags for tags. */
  add_attachment: {
    params: AddAttachmentParams;
    response: AddAttachmentResponse;
  };
  /** Append a dialog to a vCon. Returns what the schema still requires as warnings. */
  add_dialog: {
    params: AddDialogParams;
    response: AddDialogResponse;
  };
  /** Set one tag of a vCon. */
  add_tag: {
    params: AddTagParams;
    response: AddTagResponse;
  };
  /** Return the query plan of one SELECT on the tables of get_database_shape. */
  analyze_query: {
    params: AnalyzeQueryParams;
    response: AnalyzeQueryResponse;
  };
  /**
   * Store a new vCon. Fills in a missing uuid and created_at, and translates legacy member names. CONFLICT if
   * the uuid exists.
   */
  create_vcon: {
    params: CreateVconParams;
    response: CreateVconResponse;
  };
  /** Store a new vCon made from a template. Times default to now. */
  create_vcon_from_template: {
    params: CreateVconFromTemplateParams;
    response: CreateVconFromTemplateResponse;
  };
  /** Permanently delete a vCon and everything derived from it. */
  delete_vcon: {
    params: DeleteVconParams;
    response: DeleteVconResponse;
  };
  /** Return all tags of a vCon. */
  get_all_tags: {
    params: GetAllTagsParams;
    response: GetAllTagsResponse;
  };
  /** List tables with row counts, indexes and keys. Sizes are included for the local user only. */
  get_database_shape: {
    params: GetDatabaseShapeParams;
    response: GetDatabaseShapeResponse;
  };
  /** Return usage statistics of tables and indexes since stats_reset, for all tenants. Local user only. */
  get_database_stats: {
    params: GetDatabaseStatsParams;
    response: GetDatabaseStatsResponse;
  };
  /** Return a complete vCon 0.4.0 that create_vcon accepts. */
  get_examples: {
    params: GetExamplesParams;
    response: GetExamplesResponse;
  };
  /** Return the vCon schema. TypeScript and OpenAPI omit patterns, formats and rules between members. */
  get_schema: {
    params: GetSchemaParams;
    response: GetSchemaResponse;
  };
  /** Return one tag of a vCon. */
  get_tag: {
    params: GetTagParams;
    response: GetTagResponse;
  };
  /** List all tag keys in use with their values. */
  get_unique_tags: {
    params: GetUniqueTagsParams;
    response: GetUniqueTagsResponse;
  };
  /** Return one vCon with all its members. vcon_fetch does so within a byte budget. */
  get_vcon: {
    params: GetVconParams;
    response: GetVconResponse;
  };
  /** Remove all tags of a vCon. */
  remove_all_tags: {
    params: RemoveAllTagsParams;
    response: RemoveAllTagsResponse;
  };
  /** Remove one tag of a vCon. Does nothing if it is absent. */
  remove_tag: {
    params: RemoveTagParams;
    response: RemoveTagResponse;
  };
  /** Find vCons that have all given tags, newest first. Keys match exactly; values are compared as text. */
  search_by_tags: {
    params: SearchByTagsParams;
    response: SearchByTagsResponse;
  };
  /** List vCons by subject, party, date and tags, newest first. Without a filter: all. */
  search_vcons: {
    params: SearchVconsParams;
    response: SearchVconsResponse;
  };
  /**
   * Find vCons whose text contains all words. "phrase", beg*, OR, NOT and () work. Misspelled words are
   * corrected if nothing matches.
   */
  search_vcons_content: {
    params: SearchVconsContentParams;
    response: SearchVconsContentResponse;
  };
  /** Find vCons by words and meaning together. Any word may match; "phrase" and NOT are required to hold. */
  search_vcons_hybrid: {
    params: SearchVconsHybridParams;
    response: SearchVconsHybridResponse;
  };
  /**
   * Find vCons by meaning, of a query or of an embedding (384 numbers). Without threshold, weak matches are
   * returned too.
   */
  search_vcons_semantic: {
    params: SearchVconsSemanticParams;
    response: SearchVconsSemanticResponse;
  };
  /** Set several tags of a vCon in one step. */
  update_tags: {
    params: UpdateTagsParams;
    response: UpdateTagsResponse;
  };
  /**
   * Change top-level members of a vCon. Arrays of parties, dialog and so on require append or replace. Use
   * update_tags for tags.
   */
  update_vcon: {
    params: UpdateVconParams;
    response: UpdateVconResponse;
  };
  // Bridge tools
  /** Create unreviewed moments from a source and its reflections with the configured language model. */
  bridge_autoframe: {
    params: BridgeAutoframeParams;
    response: BridgeAutoframeResponse;
  };
  /**
   * Create unreviewed scenes from moments or scenes with the configured language model. Default: moments that
   * are in no scene.
   */
  bridge_autoweave: {
    params: BridgeAutoweaveParams;
    response: BridgeAutoweaveResponse;
  };
  /**
   * Store an experience in its own words (journal notes, messages, transcripts) as a source. Requires
   * content, file, or both.
   */
  bridge_capture: {
    params: BridgeCaptureParams;
    response: BridgeCaptureResponse;
  };
  /** Change fields of a source, moment or scene. Moments follow changes of their source. */
  bridge_enrich: {
    params: BridgeEnrichParams;
    response: BridgeEnrichResponse;
  };
  /** Create a moment from sources, with its qualities and how attention moved. */
  bridge_frame: {
    params: BridgeFrameParams;
    response: BridgeFrameResponse;
  };
  /** Delete a source, moment or scene. Moments without a source and scenes without members are deleted too. */
  bridge_release: {
    params: BridgeReleaseParams;
    response: BridgeReleaseResponse;
  };
  /** Search records by meaning, words or facets. */
  bridge_search: {
    params: BridgeSearchParams;
    response: BridgeSearchResponse;
  };
  /** Count records, sources without moments, unreviewed records and processing errors. */
  bridge_status: {
    params: BridgeStatusParams;
    response: BridgeStatusResponse;
  };
  /** Connect moments into a scene with a narrative. */
  bridge_weave: {
    params: BridgeWeaveParams;
    response: BridgeWeaveResponse;
  };
  // Memory tools
  /** Return a past conversation as Markdown, whole or by the lines of a search result. */
  memory_read: {
    params: MemoryReadParams;
    response: MemoryReadResponse;
  };
  /** Search past conversations of coding agents by meaning and words. Returns the path and lines to read. */
  memory_search: {
    params: MemorySearchParams;
    response: MemorySearchResponse;
  };
  // Session tools
  /** Score the session and the project, and commit tracked changes to git where that is allowed. */
  session_checkpoint: {
    params: SessionCheckpointParams;
    response: SessionCheckpointResponse;
  };
  /** End the session with a final score, lessons and a handoff for the next session. */
  session_end: {
    params: SessionEndParams;
    response: SessionEndResponse;
  };
  /** Return one chunk of a response that was too long. */
  session_get_cached_chunk: {
    params: SessionGetCachedChunkParams;
    response: SessionGetCachedChunkResponse;
  };
  /** Return further results of quick_search. Start with offset 1. */
  session_get_more_results: {
    params: SessionGetMoreResultsParams;
    response: SessionGetMoreResultsResponse;
  };
  /** Begin or resume a working session. Returns the health of the project and what the last session left open. */
  session_init: {
    params: SessionInitParams;
    response: SessionInitResponse;
  };
  /**
   * Count matches in past conversations and reflections and return the best one. get_more_results returns the
   * rest.
   */
  session_quick_search: {
    params: SessionQuickSearchParams;
    response: SessionQuickSearchResponse;
  };
  /**
   * Search past conversations and reflections by meaning and words. Read further chunks with
   * get_cached_chunk.
   */
  session_reflect_on_past: {
    params: SessionReflectOnPastParams;
    response: SessionReflectOnPastResponse;
  };
  /** Count the conversations and reflections that are stored. */
  session_reflection_stats: {
    params: SessionReflectionStatsParams;
    response: SessionReflectionStatsResponse;
  };
  /** Find how a concept was dealt with before, and in which files. */
  session_search_by_concept: {
    params: SessionSearchByConceptParams;
    response: SessionSearchByConceptResponse;
  };
  /**
   * Find exchanges that edited, read or mentioned a file or folder, edits first, and reflections that name
   * it.
   */
  session_search_by_file: {
    params: SessionSearchByFileParams;
    response: SessionSearchByFileResponse;
  };
  /** Return the state of the session, its project, the memory and the server. */
  session_status: {
    params: SessionStatusParams;
    response: SessionStatusResponse;
  };
  /** Store an insight for later sessions. It can be searched at once. Secrets are masked. */
  session_store_reflection: {
    params: SessionStoreReflectionParams;
    response: SessionStoreReflectionResponse;
  };
  // More vCon tools
  /** Append a party to a vCon. */
  add_party: {
    params: AddPartyParams;
    response: AddPartyResponse;
  };
  /**
   * Create a new version of a vCon that can be changed, for example of a signed one. It refers to the
   * previous version.
   */
  amend_vcon: {
    params: AmendVconParams;
    response: AmendVconResponse;
  };
  /** Put a vCon under legal hold: it cannot be changed or deleted until release_hold. */
  hold_vcon: {
    params: HoldVconParams;
    response: HoldVconResponse;
  };
  /** List vCons under legal hold, the newest hold first. */
  list_holds: {
    params: ListHoldsParams;
    response: ListHoldsResponse;
  };
  /** Create a version of a vCon without sensitive text. Media and links are removed too. */
  redact_vcon: {
    params: RedactVconParams;
    response: RedactVconResponse;
  };
  /** End the legal hold of a vCon. */
  release_hold: {
    params: ReleaseHoldParams;
    response: ReleaseHoldResponse;
  };
  /** Remove one element of the analysis array of a vCon. Later elements move up. */
  remove_analysis: {
    params: RemoveAnalysisParams;
    response: RemoveAnalysisResponse;
  };
  /** Remove one element of the attachments array of a vCon. References to other elements stay correct. */
  remove_attachment: {
    params: RemoveAttachmentParams;
    response: RemoveAttachmentResponse;
  };
  /** Remove one element of the dialog array of a vCon. References to other elements stay correct. */
  remove_dialog: {
    params: RemoveDialogParams;
    response: RemoveDialogResponse;
  };
  /** Remove one element of the parties array of a vCon. References to other elements stay correct. */
  remove_party: {
    params: RemovePartyParams;
    response: RemovePartyResponse;
  };
  /** Sign a vCon with the server's key. It cannot be changed afterwards. */
  sign_vcon: {
    params: SignVconParams;
    response: SignVconResponse;
  };
  /** Change one element of the analysis array of a vCon. */
  update_analysis: {
    params: UpdateAnalysisParams;
    response: UpdateAnalysisResponse;
  };
  /** Change one element of the attachments array of a vCon. */
  update_attachment: {
    params: UpdateAttachmentParams;
    response: UpdateAttachmentResponse;
  };
  /** Change one element of the dialog array of a vCon. */
  update_dialog: {
    params: UpdateDialogParams;
    response: UpdateDialogResponse;
  };
  /** Change one element of the parties array of a vCon. */
  update_party: {
    params: UpdatePartyParams;
    response: UpdatePartyResponse;
  };
  /**
   * Count vCons in groups of tag:KEY, dealer, party, role, type or vendor of analysis, purpose, vcon, day,
   * week, month or hour. By speaker, count turns and words.
   */
  vcon_aggregate: {
    params: VconAggregateParams;
    response: VconAggregateResponse;
  };
  /** Return the versions of a vCon (amended, redacted) and its group as a graph. */
  vcon_relations: {
    params: VconRelationsParams;
    response: VconRelationsResponse;
  };
  /**
   * Group conversations by meaning, without tags, and name each topic by its telling words, largest first.
   * With period, also what grew or is new since the period before.
   */
  vcon_topics: {
    params: VconTopicsParams;
    response: VconTopicsResponse;
  };
  /**
   * Compare the counts of conversations, turns and tags of the last full days, weeks or months with as many
   * before them.
   */
  vcon_trends: {
    params: VconTrendsParams;
    response: VconTrendsResponse;
  };
  /** Check who signed a vCon, whether the signer is trusted here, and whether content and hashes match. */
  verify_vcon: {
    params: VerifyVconParams;
    response: VerifyVconResponse;
  };
};

export type ToolName = keyof Tools;

/** Every resource: the templates of its URIs, the URIs, their variables, and what is read. */
export type Resources = {
  /** The newest vCons with every member but the bodies of dialogs, analyses and attachments. */
  recent_vcons: {
    template: "vcon://v1/vcons/recent" | "vcon://v1/vcons/recent/{limit}";
    uri: "vcon://v1/vcons/recent" | `vcon://v1/vcons/recent/${number}`;
    params: {
      /**
       * Most vCons to read.
       * @default 10
       * @minimum 1
       * @maximum 100
       */
      limit?: number;
    };
    content: RecentVconsContent;
  };
  /** Uuid, date and subject of the newest vCons. */
  recent_vcon_ids: {
    template: "vcon://v1/vcons/recent/ids" | "vcon://v1/vcons/recent/ids/{limit}";
    uri: "vcon://v1/vcons/recent/ids" | `vcon://v1/vcons/recent/ids/${number}`;
    params: {
      /**
       * Most vCons to read.
       * @default 10
       * @minimum 1
       * @maximum 100
       */
      limit?: number;
    };
    content: RecentVconIdsContent;
  };
  /** Uuid, date and subject of all vCons, newest first; next_cursor leads to older ones until it is null. */
  vcon_ids: {
    template:
      | "vcon://v1/vcons/ids"
      | "vcon://v1/vcons/ids/{limit}"
      | "vcon://v1/vcons/ids/{limit}/after/{cursor}";
    uri:
      | "vcon://v1/vcons/ids"
      | `vcon://v1/vcons/ids/${number}`
      | `vcon://v1/vcons/ids/${number}/after/${string}`;
    params: {
      /**
       * Most vCons of one page.
       * @default 100
       * @minimum 1
       * @maximum 1000
       */
      limit?: number;
      /**
       * next_cursor of the previous page, or a date to list older vCons.
       * @maxLength 1024
       */
      cursor?: string;
    };
    content: VconIdsContent;
  };
  /** One vCon with all of its members, and the store's metadata. */
  vcon: {
    template: "vcon://v1/vcons/{uuid}";
    uri: `vcon://v1/vcons/${string}`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
    };
    content: VconContent;
  };
  /** Tags, counts, conformance and times of one vCon. */
  vcon_metadata: {
    template: "vcon://v1/vcons/{uuid}/metadata";
    uri: `vcon://v1/vcons/${string}/metadata`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
    };
    content: VconMetadataContent;
  };
  /** Participants, referred to by index. */
  vcon_parties: {
    template: "vcon://v1/vcons/{uuid}/parties";
    uri: `vcon://v1/vcons/${string}/parties`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
    };
    content: VconPartiesContent;
  };
  /** What was said. */
  vcon_dialog: {
    template: "vcon://v1/vcons/{uuid}/dialog";
    uri: `vcon://v1/vcons/${string}/dialog`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
    };
    content: VconDialogContent;
  };
  /** Results computed from the conversation. */
  vcon_analysis: {
    template: "vcon://v1/vcons/{uuid}/analysis";
    uri: `vcon://v1/vcons/${string}/analysis`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
    };
    content: VconAnalysisContent;
  };
  /** Documents and other files of the conversation. */
  vcon_attachments: {
    template: "vcon://v1/vcons/{uuid}/attachments";
    uri: `vcon://v1/vcons/${string}/attachments`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
    };
    content: VconAttachmentsContent;
  };
  /** The body of a dialog, 240,000 characters at a time; next_offset leads on until it is null. */
  dialog_body: {
    template:
      | "vcon://v1/vcons/{uuid}/dialog/{index}/body"
      | "vcon://v1/vcons/{uuid}/dialog/{index}/body/{offset}";
    uri:
      | `vcon://v1/vcons/${string}/dialog/${number}/body`
      | `vcon://v1/vcons/${string}/dialog/${number}/body/${number}`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
      /**
       * Its place in the array.
       * @minimum 0
       */
      index: number;
      /**
       * The first character to read.
       * @default 0
       * @minimum 0
       */
      offset?: number;
    };
    content: DialogBodyContent;
  };
  /** The body of an analysis, 240,000 characters at a time; next_offset leads on until it is null. */
  analysis_body: {
    template:
      | "vcon://v1/vcons/{uuid}/analysis/{index}/body"
      | "vcon://v1/vcons/{uuid}/analysis/{index}/body/{offset}";
    uri:
      | `vcon://v1/vcons/${string}/analysis/${number}/body`
      | `vcon://v1/vcons/${string}/analysis/${number}/body/${number}`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
      /**
       * Its place in the array.
       * @minimum 0
       */
      index: number;
      /**
       * The first character to read.
       * @default 0
       * @minimum 0
       */
      offset?: number;
    };
    content: AnalysisBodyContent;
  };
  /** The body of an attachment, 240,000 characters at a time; next_offset leads on until it is null. */
  attachment_body: {
    template:
      | "vcon://v1/vcons/{uuid}/attachments/{index}/body"
      | "vcon://v1/vcons/{uuid}/attachments/{index}/body/{offset}";
    uri:
      | `vcon://v1/vcons/${string}/attachments/${number}/body`
      | `vcon://v1/vcons/${string}/attachments/${number}/body/${number}`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
      /**
       * Its place in the array.
       * @minimum 0
       */
      index: number;
      /**
       * The first character to read.
       * @default 0
       * @minimum 0
       */
      offset?: number;
    };
    content: AttachmentBodyContent;
  };
  /** Up to 100 elements of dialog, analysis or attachments from an index on. Long texts are cut. */
  vcon_elements: {
    template: "vcon://v1/vcons/{uuid}/elements/{part}/{first}";
    uri: `vcon://v1/vcons/${string}/elements/${string}/${number}`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
      /** Which array: dialog, analysis or attachments. */
      part: string;
      /**
       * The index of the first one.
       * @minimum 0
       */
      first: number;
    };
    content: VconElementsContent;
  };
  /** The attachments of one vCon whose purpose, or type where no purpose is stated, is this. */
  attachments_of_type: {
    template: "vcon://v1/vcons/{uuid}/attachments/type/{type}";
    uri: `vcon://v1/vcons/${string}/attachments/type/${string}`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
      /**
       * The type, such as contract.
       * @maxLength 1000
       */
      type: string;
    };
    content: AttachmentsOfTypeContent;
  };
  /** The attachments of one vCon that serve this purpose. */
  attachments_of_purpose: {
    template: "vcon://v1/vcons/{uuid}/attachments/purpose/{purpose}";
    uri: `vcon://v1/vcons/${string}/attachments/purpose/${string}`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
      /**
       * The purpose, such as contract.
       * @maxLength 1000
       */
      purpose: string;
    };
    content: AttachmentsOfPurposeContent;
  };
  /** The analyses of one vCon that are of this type. */
  analysis_of_type: {
    template: "vcon://v1/vcons/{uuid}/analysis/type/{type}";
    uri: `vcon://v1/vcons/${string}/analysis/type/${string}`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
      /**
       * The type, such as summary.
       * @maxLength 1000
       */
      type: string;
    };
    content: AnalysisOfTypeContent;
  };
  /** The transcripts among its analyses, each as text with speakers. */
  vcon_transcript: {
    template: "vcon://v1/vcons/{uuid}/transcript";
    uri: `vcon://v1/vcons/${string}/transcript`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
    };
    content: VconTranscriptContent;
  };
  /** The summaries among its analyses, each as text. */
  vcon_summary: {
    template: "vcon://v1/vcons/{uuid}/summary";
    uri: `vcon://v1/vcons/${string}/summary`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
    };
    content: VconSummaryContent;
  };
  /** All tags of one vCon with their typed values. */
  vcon_tags: {
    template: "vcon://v1/vcons/{uuid}/tags";
    uri: `vcon://v1/vcons/${string}/tags`;
    params: {
      /**
       * The vCon's uuid.
       * @maxLength 64
       */
      uuid: string;
    };
    content: VconTagsContent;
  };
  /** Every type by which attachments can be read, with the number of vCons that have it. */
  attachment_types: {
    template: "vcon://v1/discovery/attachments/types";
    uri: "vcon://v1/discovery/attachments/types";
    params: Record<string, never>;
    content: AttachmentTypesContent;
  };
  /** Every purpose that attachments serve, with the number of vCons that have it. */
  attachment_purposes: {
    template: "vcon://v1/discovery/attachments/purposes";
    uri: "vcon://v1/discovery/attachments/purposes";
    params: Record<string, never>;
    content: AttachmentPurposesContent;
  };
  /** Every type of analysis, with the number of vCons that have it. */
  analysis_types: {
    template: "vcon://v1/discovery/analysis/types";
    uri: "vcon://v1/discovery/analysis/types";
    params: Record<string, never>;
    content: AnalysisTypesContent;
  };
  /** The JSON Schema of one version of the vCon syntax, one document. */
  vcon_schema: {
    template: "vcon://v1/schema/{version}";
    uri: `vcon://v1/schema/${string}`;
    params: {
      /**
       * 0.3.0, 0.4.0, 0.5.0 or latest.
       * @maxLength 32
       */
      version: string;
    };
    content: VconSchemaContent;
  };
  /** The item of vcon_graph_shape, all kinds of nodes. */
  graph_shape: {
    template: "vcon://v1/graph/shape";
    uri: "vcon://v1/graph/shape";
    params: Record<string, never>;
    content: GraphShapeContent;
  };
  /** The item of vcon_capabilities. */
  served_contract: {
    template: "vcon://v1/contract";
    uri: "vcon://v1/contract";
    params: Record<string, never>;
    content: ServedContractContent;
  };
  /** Conversations on a plane, near to those of like meaning; made in the background, kept for ten minutes. */
  meaning_map: {
    template: "vcon://v1/map" | "vcon://v1/map/{key}";
    uri: "vcon://v1/map" | `vcon://v1/map/${string}`;
    params: {
      /**
       * The tag whose value each point shows.
       * @maxLength 128
       */
      key?: string;
    };
    content: MeaningMapContent;
  };
  /** What the last imports by command found, imported and rejected, newest first. */
  imports: {
    template: "vcon://v1/imports";
    uri: "vcon://v1/imports";
    params: Record<string, never>;
    content: ImportsContent;
  };
};

export type ResourceName = keyof Resources;

// Contract tools

/** Parameters of describe_response_shape. */
export type DescribeResponseShapeParams = {
  /**
   * Name of the tool.
   * @minLength 1
   * @maxLength 64
   */
  tool_name?: string;
  /**
   * Include an example.
   * @default true
   */
  include_example?: boolean;
  /** Return full schemas with the error envelope. Default: a short form of success. */
  whole?: boolean;
  /**
   * A larger response is an error.
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
        /** Its toolset. */
        toolset: string;
        /** Its title. */
        title: string;
        /** item, page, success or document. */
        envelope: string;
        /** Whether the text content is prose, with the JSON only in structuredContent. Otherwise absent. */
        text?: boolean;
        /** experimental, beta or stable. */
        stability: string;
        /** The output schema: whole as in tools/list, otherwise of success alone, without descriptions and bounds. */
        schema: Record<string, unknown>;
        /** The schema of its arguments, without descriptions unless whole. */
        arguments_schema: Record<string, unknown>;
        /** A response that fits the schema. */
        example?: Record<string, unknown>;
        /** Bytes: example; measured on a realistic store: typical, and per_item for pages. */
        typical_bytes: Record<string, unknown>;
        /** The errors that this tool can return. */
        errors: Array<{
          /** The error code. */
          code: string;
          /** Whether the same call may succeed later. */
          retryable: boolean;
          /** What it means. */
          message: string;
          /** Schema of the details. Empty unless whole. */
          details_schema: Record<string, unknown>;
          [member: string]: unknown;
        }>;
        [member: string]: unknown;
      };
      meta: {
        /** Bytes of this response as JSON, including this number. */
        response_bytes: number;
        /** The byte budget of the call. */
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
        /** Its toolset. */
        toolset: string;
        /** Its title. */
        title: string;
        /** item, page, success or document. */
        envelope: string;
        /** experimental, beta or stable. */
        stability: string;
        /** Bytes: example; measured on a realistic store: typical, and per_item for pages. */
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
        /** Bytes of this response as JSON, including this number. */
        response_bytes: number;
        /** The byte budget of the call. */
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
export type VconCapabilitiesParams = {
  /** true: also list renamed vCon members. */
  migration_hints?: boolean;
};

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
      /** SHA-256 of the served tools, resources and prompts. */
      digest: string;
      [member: string]: unknown;
    };
    /** The include groups. */
    supported_includes: string[];
    /** The groups that each tool returns by default. */
    default_includes: Record<string, unknown>;
    /** The modes of vcon_search. */
    search_modes: Array<{
      /** The value of mode. */
      mode: string;
      /** Required parameters. */
      requires: string[];
      /** Parameters of which exactly one is required. */
      one_of?: string[];
      /** Optional parameters. */
      accepts: string[];
      /** Parameters that this mode rejects. */
      rejects: string[];
      /** Whether items have a score. */
      ranked: boolean;
      /** Whether page.total is given. */
      total: boolean;
      /** Defaults of this mode. */
      defaults?: Record<string, unknown>;
      [member: string]: unknown;
    }>;
    /** How to follow pages. */
    pagination_semantics: Record<string, unknown>;
    /** The parameter, its default and bounds, and the error. */
    byte_budgets: Record<string, unknown>;
    /**
     * Number of renamed members. migration_hints: true lists them.
     * @minimum 0
     */
    migration_hints_total?: number;
    /** Legacy names with their replacements. Empty unless requested. */
    migration_hints: Array<Record<string, unknown>>;
    /** Toolsets, and the tools that this caller may use. */
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
    /** State of search by meaning, up to 10 seconds old. */
    embedding: {
      /** Whether a query can be searched by meaning. */
      available: boolean;
      /** The model whose vectors are searched, if any. */
      model?: string;
      /** Dimensions of a vector. */
      dimensions?: number;
      /** Number of passages to embed. */
      passages: number;
      /** Number of embedded passages. */
      embedded: number;
      /**
       * embedded / passages, 1 when there are none.
       * @minimum 0
       * @maximum 1
       */
      coverage: number;
      /** During a change of the model: passages that the new one still has to embed. Otherwise 0. */
      stale: number;
      [member: string]: unknown;
    };
    /** The filters of vcon_search: name, type, meaning. */
    filters: Array<Record<string, unknown>>;
    /** Limits of queries and values. */
    limits: Record<string, unknown>;
    /** Allowed calls of each class. */
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
  /** UUID of the vCon, or at least its first 8 digits. */
  id?: string;
  /** Same as id. */
  uuid?: string;
  /** Groups to return. Default: core, parties, summary; with turns core. */
  include?: IncludeGroups;
  /**
   * Turns of the transcript to return, from 0, as a list of numbers and ranges: 3, 10-16, 40-.
   * @maxLength 1000
   */
  turns?: string;
  /**
   * Several in place of id, each with its turns. Default: all.
   * @minItems 1
   * @maxItems 20
   */
  vcons?: Array<{
    /** Same as above. */
    id: string;
    /**
     * Of this one.
     * @maxLength 1000
     */
    turns?: string;
  }>;
  /**
   * A larger response is an error.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
};

/** The success of vcon_fetch. */
export type VconFetchResult = {
  ok: true;
  /** One vCon by include groups. Groups that you did not ask for are absent. */
  item: {
    /** ID for other calls. Equal to uuid. */
    id: string;
    /** The vCon's uuid. */
    uuid: string;
    /** created_at of the vCon, RFC 3339 in UTC. */
    created_at: string;
    /** Start of its earliest dialog. Absent if it is created_at. */
    began_at?: string;
    /** When it was last changed here, RFC 3339 in UTC. */
    updated_at: string;
    /** The vCon version, if stated. */
    vcon_version?: string;
    /** The subject, if it has one. */
    subject?: string;
    /** Extensions that it uses. */
    extensions?: string[];
    /** Extensions a reader must support. */
    critical?: string[];
    /** The version that it was redacted from. */
    redacted?: Record<string, unknown>;
    /** The version that it amends. */
    amended?: Record<string, unknown>;
    /** Names of further top-level members. get_vcon returns their values. */
    other_members?: string[];
    /** Group parties: whole, in order. */
    parties?: Array<VconParty | Record<string, unknown>>;
    /** Group summary: the analyses of type summary as text. */
    summary?: Array<{
      /** Index in analysis. */
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
      /** The whole text. */
      text: string;
      [member: string]: unknown;
    }>;
    /** Group transcript: what was said. null if no words are stored. */
    transcript?: {
      /** Where the words come from: dialog, analysis or both; may grow. */
      source: string;
      /** The type of that analysis. */
      type?: string;
      /**
       * All words in order of time, one turn per line, with known speakers. Holds, transfers and an agent's
       * tool calls are lines in parentheses. With turns, only these.
       */
      text: string;
      /** Number of turns. */
      total_turns?: number;
      /** Turns that are recordings without stored words. */
      untranscribed?: number[];
      [member: string]: unknown;
    } | null;
    tags?: Tags;
    /** Group dealer. null if no attachment names one. */
    dealer?: {
      /** Dealer id as text. */
      id: string;
      /** Dealer name. */
      name?: string;
      /** The attachment purpose it was read from. */
      source: string;
      [member: string]: unknown;
    } | null;
    /** Group counts: lengths of the four arrays, and of what was said. */
    counts?: {
      /** Number of parties. */
      parties: number;
      /** Number of dialogs. */
      dialog: number;
      /** Number of analyses. */
      analysis: number;
      /** Number of attachments. */
      attachments: number;
      /** Turns of the transcript that have words. */
      turns?: number;
      /** Words of these turns, separated by white space. */
      words?: number;
      /** The first words, up to 160 characters. */
      opening?: string;
      /**
       * Total duration of the dialogs. Absent if unknown.
       * @minimum 0
       */
      duration_seconds?: number;
      /** Words by speaker, most first. Unknown speakers are omitted. */
      speakers?: Array<{
        /** The name, as in the transcript. */
        speaker: string;
        /** Turns. */
        turns: number;
        /** Words. */
        words: number;
        /**
         * Total seconds of turns with a known length. Absent if unknown.
         * @minimum 0
         */
        seconds?: number;
        [member: string]: unknown;
      }>;
      [member: string]: unknown;
    };
    /** Group events: sessions, whole. */
    sessions?: Array<Record<string, unknown>>;
    /** Group events: joins, holds, transfers and others, by time. */
    events?: Array<{
      /** Type; may grow. */
      type: string;
      /** When. */
      at?: string;
      /** In words. */
      text: string;
      [member: string]: unknown;
    }>;
    /** Group dialog: whole, in order. */
    dialog?: Array<VconDialog | Record<string, unknown>>;
    /** Group analysis: whole, in order. */
    analysis?: Array<VconAnalysis | Record<string, unknown>>;
    /** Group attachments: whole, in order, each with its effective purpose. */
    attachments?: Array<VconAttachment | Record<string, unknown>>;
    /** With turns: each of these turns of the transcript, in order. */
    turns?: FetchedTurn[];
    /** With vcons: those after the first one found, in order. */
    others?: Array<{
      /** UUID. */
      id: string;
      /** Its subject, if it has one. */
      subject?: string;
      /** When it began, RFC 3339 in UTC. */
      began_at: string;
      /**
       * Total number of turns.
       * @minimum 0
       */
      total_turns: number;
      /** These turns of its transcript, in order. */
      turns: FetchedTurn[];
      [member: string]: unknown;
    }>;
    [member: string]: unknown;
  };
  meta: {
    /** The groups in this response. */
    include: string[];
    /**
     * With turns: total number of turns.
     * @minimum 0
     */
    total_turns?: number;
    /** With vcons: those that were not found, in order. */
    not_found?: Array<{
      /** The ID as given. */
      id: string;
      /** not_found, ambiguous_id or malformed_uuid; may grow. */
      reason: string;
      /** IDs that begin with it, if it is ambiguous. */
      accepted?: string[];
      [member: string]: unknown;
    }>;
    /**
     * What did not fit into 70,000 bytes (with vcons into max_response_bytes, too), and the arguments that
     * return it.
     */
    left_out?: Array<{
      /** The group that is incomplete or absent. */
      group: string;
      /** Arguments to send, with the same id unless they have vcons. */
      arguments: Record<string, unknown>;
      [member: string]: unknown;
    }>;
    /** Bytes of this response as JSON, including this number. */
    response_bytes: number;
    /** The byte budget of the call. */
    max_response_bytes: number;
    [member: string]: unknown;
  };
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

/** Parameters of vcon_graph_shape. */
export type VconGraphShapeParams = {
  /**
   * Kinds of features to count. Default: the first six.
   * @maxItems 12
   */
  node_types?: Array<
    | "analysis_type"
    | "tag_key"
    | "attachment_purpose"
    | "dialog_type"
    | "party_role"
    | "extension"
    | "dealer"
    | "month"
    | "day"
    | "hour"
    | "party"
    | "tag_value">;
  /**
   * Count only vCons with these words.
   * @minLength 1
   * @maxLength 2000
   */
  query?: string;
  /**
   * Maximum number of features, most frequent first.
   * @default 200
   * @minimum 1
   * @maximum 1000
   */
  max_nodes?: number;
  /**
   * Maximum number of pairs, strongest first.
   * @default 200
   * @minimum 0
   * @maximum 1000
   */
  max_edges?: number;
  /**
   * Minimum strength of a pair.
   * @default 0.05
   * @minimum 0
   * @maximum 1
   */
  min_strength?: number;
  /**
   * A larger response is an error.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
  /** Conditions that all must hold, as in vcon_search. */
  filters?: SearchFilters;
};

/** The success of vcon_graph_shape. */
export type VconGraphShapeResult = {
  ok: true;
  item: {
    /** Features of vCons. */
    nodes: Array<{
      /** ID, such as analysis:transcript or tag:priority. */
      id: string;
      /**
       * analysis_type, tag_key, attachment_purpose, dialog_type, party_role, extension, dealer, month, day,
       * hour, party or tag_value; may grow.
       */
      type: string;
      /** Name without the type. Times in UTC: 2025-10, 2025-10-14, Tue 09. */
      label: string;
      /**
       * Exact number of vCons that have it.
       * @minimum 1
       */
      count: number;
      [member: string]: unknown;
    }>;
    /** Pairs of these nodes, each once, source before target. */
    edges: Array<{
      /** A node's id. */
      source: string;
      /** Another node's id. */
      target: string;
      /**
       * Share of the vCons with the rarer feature that also have the other.
       * @minimum 0
       * @maximum 1
       */
      strength: number;
      /**
       * Number of vCons that have both, of those that edges are counted from.
       * @minimum 1
       */
      joint_count: number;
      [member: string]: unknown;
    }>;
    /** What was counted. */
    corpus: {
      /**
       * Number of vCons.
       * @minimum 0
       */
      vcons: number;
      /**
       * vCons that edges are counted from.
       * @minimum 0
       */
      edges_from: number;
      /** Whether these are a sample. */
      sampled: boolean;
      /** When it was counted, RFC 3339. */
      computed_at: string;
      /**
       * Number of vCons that query and filters match, up to 10,000. Absent without them.
       * @minimum 0
       */
      counted?: number;
      versions_left_out?: VersionsLeftOut;
      said_unknown?: SaidUnknown;
      first?: CorpusEnd;
      last?: CorpusEnd;
      [member: string]: unknown;
    };
    /** Numbers left out because of max_nodes and max_edges. */
    truncated: {
      /**
       * Nodes left out.
       * @minimum 0
       */
      nodes: number;
      /**
       * Edges between the listed nodes left out.
       * @minimum 0
       */
      edges: number;
      [member: string]: unknown;
    };
    [member: string]: unknown;
  };
  meta: {
    /**
     * exact; fuzzy if words were corrected; relaxed if no vCon contains all words. Absent without query; may
     * grow.
     */
    matching?: string;
    corrections?: Corrections;
    hints?: Hints;
    /** Bytes of this response as JSON, including this number. */
    response_bytes: number;
    /** The byte budget of the call. */
    max_response_bytes: number;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** The error of vcon_graph_shape. */
export type VconGraphShapeError = {
  ok: false;
  error: {
    code:
      | "INVALID_ARGUMENT"
      | "INTERNAL"
      | "PERMISSION_DENIED"
      | "RATE_LIMIT_EXCEEDED"
      | "RESPONSE_TOO_LARGE"
      | "AMBIGUOUS_QUERY";
    message: string;
    details?: Record<string, unknown>;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** What vcon_graph_shape answers. */
export type VconGraphShapeResponse = VconGraphShapeResult | VconGraphShapeError;

/** Parameters of vcon_recall. */
export type VconRecallParams = {
  /** The question, or up to five wordings or parts of it. */
  query: string | string[];
  /**
   * To list or count: list has a line per turn, survey per conversation.
   * @default "excerpts"
   */
  view?: "excerpts" | "list" | "survey";
  /**
   * Maximum size of the text, at 4 bytes a token.
   * @default 1000
   * @minimum 100
   * @maximum 20000
   */
  max_tokens?: number;
  /**
   * Names, first names or roles of people who all took part. Andr* is a beginning.
   * @maxItems 5
   */
  people?: string[];
  /**
   * Who says it: a name, first name or role. The turn before it may be shown, too.
   * @minLength 1
   * @maxLength 200
   */
  speaker?: string;
  /**
   * What was said from this date on: YYYY-MM-DD or RFC 3339. Turns around it may be earlier.
   * @maxLength 64
   */
  since?: string;
  /**
   * What was said up to this date. A day without a time is included.
   * @maxLength 64
   */
  until?: string;
  /** Kinds of records. Default: all. session: transcripts of coding agents. */
  kinds?: Array<"conversation" | "session" | "reflection" | "journal">;
  /**
   * page.next_cursor, with the same arguments.
   * @pattern ^[1-9][0-9]?$
   */
  cursor?: string;
  /** Conditions that all must hold, as in vcon_search. */
  filters?: SearchFilters;
  /**
   * Add scores.
   * @default false
   */
  explain?: boolean;
};

/** The success of vcon_recall. */
export type VconRecallResult = {
  ok: true;
  items: Array<{
    /** ID, for vcon_fetch if kind is conversation or session. */
    id: string;
    /** conversation, session, reflection or journal; may grow. */
    kind: string;
    /** Start, RFC 3339 in UTC. */
    at?: string;
    /** Its subject, if it has one. */
    subject?: string;
    /** older, redacted, or both, as in vcon_search. Otherwise absent; may grow. */
    version?: string;
    /** Known participants. */
    people?: string[];
    /**
     * Number of passages that match better than chance.
     * @minimum 0
     */
    hits: number;
    /** Matching turns in order. In a survey only the best one. */
    turns: Array<{
      /**
       * Number of the turn, for turns of vcon_fetch. Absent if it is not a turn.
       * @minimum 0
       */
      turn?: number;
      /**
       * Kind of text that is not a turn: subject, party, analysis, attachment, trace, reflection, source,
       * moment, scene; may grow.
       */
      part?: string;
      /** Speaker, if known. */
      speaker?: string;
      /** When it was said, RFC 3339 in UTC, if known. */
      at?: string;
      /** The text. */
      text: string;
      /** True if the text is cut at …. Otherwise absent. */
      cut?: boolean;
      /** True if it is included only as context of a hit. Absent for hits. */
      context?: boolean;
      /** Index of the query that found it, from 0. */
      answers?: number[];
      /**
       * With explain: how well it matches.
       * @minimum 0
       * @maximum 1
       */
      score?: number;
      [member: string]: unknown;
    }>;
    [member: string]: unknown;
  }>;
  page: {
    /** Send it back as cursor for the next page; null when nothing follows. */
    next_cursor: string | null;
    /**
     * Conversations on this page.
     * @minimum 0
     */
    count: number;
    /** Whether another page follows. */
    has_more: boolean;
    [member: string]: unknown;
  };
  meta: {
    /** The view of this response. */
    view: string;
    /** likely, unsure or nothing_found: whether what is stored answers the question; may grow. */
    answerable: string;
    /**
     * Number of conversations and records that match better than chance.
     * @minimum 0
     */
    matching: number;
    /**
     * With view list: number of turns and other texts in it, on all pages.
     * @minimum 0
     */
    matching_turns?: number;
    /**
     * With view list or survey: number of conversations that people and filters allow, up to 10,001.
     * @minimum 0
     */
    searched?: number;
    /** at_least if not all were counted. Absent if exact. */
    matching_relation?: string;
    /** With several queries: answerable for each, in order. */
    parts?: string[];
    /** Who said the best turn, if the question names somebody else. Then it is not likely. */
    said_by?: string[];
    /** People in the question by and about whom none of the best turns is. */
    nothing_by?: string[];
    /** Words of the question that nothing stored contains. */
    never_said?: string[];
    /** Dates in the question. Turns of that time are ranked first. */
    days?: string[];
    /**
     * Size of the text in tokens of 4 bytes.
     * @minimum 0
     */
    tokens: number;
    /** Limit of the call, in tokens of 4 bytes. */
    max_tokens: number;
    /** What was searched. */
    kinds: string[];
    said_unknown?: SaidUnknown;
    hints?: Hints;
    /**
     * Passages that are not embedded yet and found by words only. Absent if none.
     * @minimum 1
     */
    pending?: number;
    /** True if search by meaning was unavailable. Otherwise absent. */
    by_words_only?: boolean;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** The error of vcon_recall. */
export type VconRecallError = {
  ok: false;
  error: {
    code:
      | "INVALID_ARGUMENT"
      | "INTERNAL"
      | "PERMISSION_DENIED"
      | "RATE_LIMIT_EXCEEDED"
      | "AMBIGUOUS_QUERY";
    message: string;
    details?: Record<string, unknown>;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** What vcon_recall answers. */
export type VconRecallResponse = VconRecallResult | VconRecallError;

/** Parameters of vcon_search. */
export type VconSearchParams = {
  mode: SearchMode;
  /**
   * Words or a sentence.
   * @minLength 1
   * @maxLength 2000
   */
  query?: string;
  /**
   * Minimum similarity.
   * @minimum 0
   * @maximum 1
   */
  threshold?: number;
  /**
   * Weight of meaning.
   * @default 0.6
   * @minimum 0
   * @maximum 1
   */
  semantic_weight?: number;
  /**
   * Matches shown per vCon.
   * @default 3
   * @minimum 1
   * @maximum 10
   */
  hits_per_item?: number;
  filters?: SearchFilters;
  /** Default core, summary. hits: only ids, dates, people and hits. */
  include?: SearchIncludeGroups;
  /**
   * A larger response is an error.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
  /**
   * Results per page.
   * @default 10
   * @minimum 1
   * @maximum 100
   */
  limit?: number;
  /**
   * page.next_cursor, with the same arguments.
   * @minLength 1
   * @maxLength 1024
   */
  cursor?: string;
  /** Embedding of the query, 384 numbers. */
  embedding?: number[];
};

/** The success of vcon_search. */
export type VconSearchResult = {
  ok: true;
  items: Array<{
    /** ID for other calls. Equal to uuid. */
    id: string;
    /** The vCon's uuid. */
    uuid: string;
    /** created_at of the vCon, RFC 3339 in UTC. */
    created_at: string;
    /** Start of its earliest dialog. Absent if it is created_at. */
    began_at?: string;
    /** When it was last changed here, RFC 3339 in UTC. */
    updated_at: string;
    /** The vCon version, if stated. */
    vcon_version?: string;
    /** The subject, if it has one. */
    subject?: string;
    /** Extensions that it uses. */
    extensions?: string[];
    /** Extensions a reader must support. */
    critical?: string[];
    /** The version that it was redacted from. */
    redacted?: Record<string, unknown>;
    /** The version that it amends. */
    amended?: Record<string, unknown>;
    /** Names of further top-level members. get_vcon returns their values. */
    other_members?: string[];
    /** Group parties: whole, in order. */
    parties?: Array<VconParty | Record<string, unknown>>;
    /** Group summary: the analyses of type summary as text. */
    summary?: Array<{
      /** Index in analysis. */
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
      /** The whole text. */
      text: string;
      [member: string]: unknown;
    }>;
    /** Group transcript: what was said. null if no words are stored. */
    transcript?: {
      /** Where the words come from: dialog, analysis or both; may grow. */
      source: string;
      /** The type of that analysis. */
      type?: string;
      /**
       * All words in order of time, one turn per line, with known speakers. Holds, transfers and an agent's
       * tool calls are lines in parentheses. With turns, only these.
       */
      text: string;
      /** Number of turns. */
      total_turns?: number;
      /** Turns that are recordings without stored words. */
      untranscribed?: number[];
      [member: string]: unknown;
    } | null;
    tags?: Tags;
    /** Group dealer. null if no attachment names one. */
    dealer?: {
      /** Dealer id as text. */
      id: string;
      /** Dealer name. */
      name?: string;
      /** The attachment purpose it was read from. */
      source: string;
      [member: string]: unknown;
    } | null;
    /** Group counts: lengths of the four arrays, and of what was said. */
    counts?: {
      /** Number of parties. */
      parties: number;
      /** Number of dialogs. */
      dialog: number;
      /** Number of analyses. */
      analysis: number;
      /** Number of attachments. */
      attachments: number;
      /** Turns of the transcript that have words. */
      turns?: number;
      /** Words of these turns, separated by white space. */
      words?: number;
      /** The first words, up to 160 characters. */
      opening?: string;
      /**
       * Total duration of the dialogs. Absent if unknown.
       * @minimum 0
       */
      duration_seconds?: number;
      /** Words by speaker, most first. Unknown speakers are omitted. */
      speakers?: Array<{
        /** The name, as in the transcript. */
        speaker: string;
        /** Turns. */
        turns: number;
        /** Words. */
        words: number;
        /**
         * Total seconds of turns with a known length. Absent if unknown.
         * @minimum 0
         */
        seconds?: number;
        [member: string]: unknown;
      }>;
      [member: string]: unknown;
    };
    /** Group events: sessions, whole. */
    sessions?: Array<Record<string, unknown>>;
    /** Group events: joins, holds, transfers and others, by time. */
    events?: Array<{
      /** Type; may grow. */
      type: string;
      /** When. */
      at?: string;
      /** In words. */
      text: string;
      [member: string]: unknown;
    }>;
    /** Group dialog: whole, in order. */
    dialog?: Array<VconDialog | Record<string, unknown>>;
    /** Group analysis: whole, in order. */
    analysis?: Array<VconAnalysis | Record<string, unknown>>;
    /** Group attachments: whole, in order, each with its effective purpose. */
    attachments?: Array<VconAttachment | Record<string, unknown>>;
    /** older if a newer version is stored, redacted, or both. Otherwise absent; may grow. */
    version?: string;
    /** Group hits: name or address of each party, in order. */
    people?: string[];
    /**
     * How well its best passage matches, comparable between calls: by words, by similarity, or both weighted
     * by semantic_weight. Absent in mode metadata and group hits.
     * @minimum 0
     * @maximum 1
     */
    score?: number;
    /** Why it matches. Absent in mode metadata. */
    match?: {
      /**
       * exact; fuzzy if words were corrected; relaxed if words are missing; semantic if no word matched; may
       * grow.
       */
      matching: string;
      /** Strength of the match compared with chance: strong, fair or weak; may grow. */
      strength?: string;
      /** Missing words of a relaxed match. */
      missing?: string[];
      /**
       * Modes keyword and hybrid: how well the words of its best passage match. Rare words count more.
       * @minimum 0
       * @maximum 1
       */
      keyword_score?: number;
      /**
       * Modes semantic and hybrid: similarity of its best passage. Unrelated text rarely reaches 0.5.
       * @minimum 0
       * @maximum 1
       */
      semantic_score?: number;
      /**
       * Mode hybrid: how well the meaning of its best passage matches. score combines it with keyword_score
       * by semantic_weight.
       * @minimum 0
       * @maximum 1
       */
      meaning_score?: number;
      /** The cosine that the similarity was calibrated from. */
      cosine?: number;
      /** The best passages, up to hits_per_item, best first. */
      hits: Array<{
        /** subject, party, dialog, analysis, attachment or trace (an agent's tools); may grow. */
        content_type: string;
        /** Index in its array. Absent for subject and trace. */
        content_index?: number;
        /** Type of the analysis or purpose of the attachment, up to 100 characters. Absent if it has none. */
        content_name?: string;
        /** Number of its turn, for turns of vcon_fetch. */
        turn?: number;
        /** Speaker: name, address, role or number. */
        speaker?: string;
        /** When it was said, RFC 3339 in UTC. */
        at?: string;
        /**
         * The turn if it has up to 400 characters, otherwise up to 300 characters. Words of the query are in
         * <mark>…</mark>.
         */
        snippet: string;
        /**
         * How well this passage matches.
         * @minimum 0
         * @maximum 1
         */
        score: number;
        /** Adjacent turns that match too. */
        neighbours?: Array<{
          /** Its number. */
          turn: number;
          /** Speaker. */
          speaker?: string;
          /** When, if on another day. */
          at?: string;
          /** Its text. */
          snippet: string;
          [member: string]: unknown;
        }>;
        /**
         * Where words matched: own (here), together (close to each other), beside (at most two turns away),
         * speaker, subject, day. Or meaning; may grow.
         */
        because?: string[];
        [member: string]: unknown;
      }>;
      /** Number of further matching passages. Raise hits_per_item to see them. */
      more_hits?: number;
      [member: string]: unknown;
    };
    [member: string]: unknown;
  }>;
  page: {
    /** Send it back as cursor for the next page; null when nothing follows. */
    next_cursor: string | null;
    /** Items on this page. */
    count: number;
    /**
     * Whether another page follows. A vCon that changes between pages may be missed or returned twice, if
     * sorted by score.
     */
    has_more: boolean;
    /** Modes metadata and keyword: number of matches, up to 10,000. */
    total?: number;
    /** at_least if there are more than total. Absent if total is exact. */
    total_relation?: string;
    [member: string]: unknown;
  };
  meta: {
    /** The mode of the search. */
    mode: string;
    /** The groups in this response. */
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
    said_unknown?: SaidUnknown;
    /**
     * exact; fuzzy if words were corrected; relaxed if no vCon contains all words; semantic in that mode.
     * Also semantic if no word of a hybrid query is known. Absent in mode metadata; may grow.
     */
    matching?: string;
    corrections?: Corrections;
    words?: WordCounts;
    /** Modes semantic and hybrid: progress of embedding. */
    embedding?: {
      /** The model whose vectors were searched. */
      model: string;
      /**
       * The share of all passages that have a vector.
       * @minimum 0
       * @maximum 1
       */
      coverage: number;
      /** Passages that are not embedded yet and found by words only. */
      pending: number;
      [member: string]: unknown;
    };
    /** The best similarity, or score in hybrid, if none reached the threshold. */
    best_below_threshold?: number;
    hints?: Hints;
    /** Dealers that match dealer_name, one entry per name. */
    dealers?: Array<{
      /** Dealer id. */
      id: string;
      /** Dealer name. */
      name?: string;
      /** Number of vCons with this name of the dealer. */
      count: number;
      [member: string]: unknown;
    }>;
    /** No longer sent; the best candidates are ranked together, and the other matches follow, newest first. */
    ranked_newest?: number;
    /** Bytes of this response as JSON, including this number. */
    response_bytes: number;
    /** The byte budget of the call. */
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
      | "CURSOR_INVALID"
      | "SEMANTIC_UNAVAILABLE";
    message: string;
    details?: Record<string, unknown>;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** What vcon_search answers. */
export type VconSearchResponse = VconSearchResult | VconSearchError;

/** Parameters of vcon_taxonomy. */
export type VconTaxonomyParams = {
  /**
   * A larger response is an error.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
};

/** The success of vcon_taxonomy. */
export type VconTaxonomyResult = {
  ok: true;
  item: {
    /** Tag keys with a vocabulary of their own, by key. */
    portal_taxonomy: Record<string, {
      /** Values, most used first. All values of a declared vocabulary. */
      values: ValueCount[];
      /** Whether filters reject other values. */
      closed: boolean;
      /** observed, or declared by the deployment. */
      source: string;
      [member: string]: unknown;
    }>;
    /** The 50 most frequent tag keys. */
    common_tag_keys: Array<{
      /** The tag key. */
      key: string;
      /**
       * Number of vCons that have it.
       * @minimum 1
       */
      count: number;
      /**
       * Number of its values.
       * @minimum 1
       */
      distinct_values: number;
      /** string, number, boolean; most frequent first. */
      value_types: string[];
      /** Up to 10 values of at most 255 characters, most used first. */
      sample_values: ValueCount[];
      [member: string]: unknown;
    }>;
    /** The 100 most frequent attachment purposes. */
    attachment_types: Array<{
      /** The purpose, or the older type. */
      type: string;
      /**
       * Number of vCons that have it.
       * @minimum 1
       */
      count: number;
      /** The extension that defines it. */
      extension?: string;
      /** Whether this server interprets it. */
      recognised: boolean;
      [member: string]: unknown;
    }>;
    /** The 100 most frequent analysis types. */
    analysis_types: Array<{
      /** The type. */
      type: string;
      /**
       * Number of vCons that have it.
       * @minimum 1
       */
      count: number;
      /** Up to 10 vendors, most frequent first. */
      vendors: string[];
      [member: string]: unknown;
    }>;
    /** How often fields are filled. */
    preferred_fields: Array<{
      /** The field. */
      field: string;
      /**
       * filled / of. null if nothing is stored.
       * @minimum 0
       * @maximum 1
       */
      fill_rate: number | null;
      /**
       * Number of vCons that have it.
       * @minimum 0
       */
      filled: number;
      /**
       * Number of vCons.
       * @minimum 0
       */
      of: number;
      /** Whether at least half of the vCons have it. */
      preferred: boolean;
      /** The filter, include group or mode that uses it. */
      use: string;
      [member: string]: unknown;
    }>;
    /** What was counted. */
    corpus: {
      /**
       * Number of vCons.
       * @minimum 0
       */
      vcons: number;
      /** When it was counted, RFC 3339. */
      computed_at: string;
      /** Whether the counts are exact. */
      exact: boolean;
      first?: CorpusEnd;
      last?: CorpusEnd;
      [member: string]: unknown;
    };
    [member: string]: unknown;
  };
  meta: {
    /** Bytes of this response as JSON, including this number. */
    response_bytes: number;
    /** The byte budget of the call. */
    max_response_bytes: number;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** The error of vcon_taxonomy. */
export type VconTaxonomyError = {
  ok: false;
  error: {
    code:
      | "INVALID_ARGUMENT"
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

/** What vcon_taxonomy answers. */
export type VconTaxonomyResponse = VconTaxonomyResult | VconTaxonomyError;

// vCon tools

/** Parameters of add_analysis. */
export type AddAnalysisParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  /** The analysis, with any of its members. dialog holds indices. */
  analysis: {
    /**
     * As summary, transcript, sentiment.
     * @minLength 1
     */
    type: string;
    /**
     * Who or what made it.
     * @minLength 1
     */
    vendor: string;
    /** Dialogs used. */
    dialog?: Indices;
    /** Product or model. */
    product?: string;
    /** Its format. */
    schema?: string;
    /** As application/json. */
    mediatype?: string;
    body?: Body;
    encoding?: Encoding;
    /** http(s); give content_hash too. */
    url?: string;
    /** Attachments used. */
    attachment?: Indices;
    /** File name. */
    filename?: string;
    content_hash?: ContentHash;
    [member: string]: unknown;
  };
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of add_analysis. */
export type AddAnalysisResult = {
  success: true;
  /** What was done. */
  message: string;
  /**
   * Its index in analysis.
   * @minimum 0
   */
  analysis_index: number;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /** When the vCon was changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of add_analysis. */
export type AddAnalysisError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What add_analysis answers. */
export type AddAnalysisResponse = AddAnalysisResult | AddAnalysisError;

/** Parameters of add_attachment. */
export type AddAttachmentParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  /** The attachment, with any of its members. party and dialog are indices. */
  attachment: {
    /** What it is for. */
    purpose?: string;
    /** RFC 3339. */
    start?: string;
    /** A party. */
    party?: number;
    /** A dialog. */
    dialog?: number;
    /** As application/pdf. */
    mediatype?: string;
    body?: Body;
    encoding?: Encoding;
    /** http(s); give content_hash too. */
    url?: string;
    /** Older name of purpose. */
    type?: string;
    /** File name. */
    filename?: string;
    content_hash?: ContentHash;
    [member: string]: unknown;
  };
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of add_attachment. */
export type AddAttachmentResult = {
  success: true;
  /** What was done. */
  message: string;
  /**
   * Its index in attachments.
   * @minimum 0
   */
  attachment_index: number;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /** When the vCon was changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of add_attachment. */
export type AddAttachmentError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What add_attachment answers. */
export type AddAttachmentResponse = AddAttachmentResult | AddAttachmentError;

/** Parameters of add_dialog. */
export type AddDialogParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  /** The dialog, with any of its members. start is RFC 3339, parties are indices, url requires content_hash. */
  dialog: {
    /** Its kind. */
    type: "recording" | "recording-set" | "text" | "transfer" | "incomplete" | "mcp_session";
    /** RFC 3339. */
    start?: string;
    /** Seconds. */
    duration?: number;
    /** Parties, or an entry a channel. */
    parties?: number | Array<number | null | number[]>;
    /** A party. */
    originator?: number;
    /** As text/plain. */
    mediatype?: string;
    /** File name. */
    filename?: string;
    /** Text, or any JSON value for json. */
    body?:
      | string
      | number
      | boolean
      | null
      | Record<string, unknown>
      | Array<string | number | boolean | null | Record<string, unknown>>;
    encoding?: Encoding;
    /** http(s); give content_hash too. */
    url?: string;
    content_hash?: ContentHash;
    /** Why incomplete. */
    disposition?: string;
    /** {local, remote}, or as parties. */
    session_id?:
      | string
      | Record<string, unknown>
      | Array<Record<string, unknown> | Array<Record<string, unknown>>>;
    /** Events: party, time, event. */
    party_history?: Array<Record<string, unknown>>;
    /** Dialogs. */
    recordings?: number[];
    /** A dialog. */
    recording_set?: number;
    /** A party. */
    transferee?: number;
    /** A party. */
    transferor?: number;
    /** A party. */
    transfer_target?: number;
    /** A dialog. */
    original?: number;
    /** A dialog. */
    consultation?: number;
    /** A dialog. */
    target_dialog?: number;
    /** Program. */
    application?: string;
    /** Its id. */
    message_id?: string;
    [member: string]: unknown;
  };
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of add_dialog. */
export type AddDialogResult = {
  success: true;
  /** What was done. */
  message: string;
  /**
   * Its index in dialog.
   * @minimum 0
   */
  dialog_index: number;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /** When the vCon was changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of add_dialog. */
export type AddDialogError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What add_dialog answers. */
export type AddDialogResponse = AddDialogResult | AddDialogError;

/** Parameters of add_tag. */
export type AddTagParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  key: TagKey;
  value: TagValue;
  /**
   * false: fail with CONFLICT if the tag has another value.
   * @default true
   */
  overwrite?: boolean;
};

/** The success of add_tag. */
export type AddTagResult = {
  success: true;
  /** What was done. */
  message: string;
  key: TagKey;
  value: TagValue;
  /** Former value. Absent if the tag is new. */
  previous_value?: TagValue;
  [member: string]: unknown;
};

/** The error of add_tag. */
export type AddTagError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What add_tag answers. */
export type AddTagResponse = AddTagResult | AddTagError;

/** Parameters of analyze_query. */
export type AnalyzeQueryParams = {
  /**
   * One PostgreSQL SELECT statement.
   * @minLength 1
   * @maxLength 10000
   */
  query: string;
  /**
   * explain: plan only. explain_analyze: run it for at most 5 seconds.
   * @default "explain"
   */
  analyze_mode?: "explain" | "explain_analyze";
};

/** The success of analyze_query. */
export type AnalyzeQueryResult = {
  success: true;
  /** The plan and what to check in it. */
  query_analysis: {
    /** The requested mode. */
    mode: string;
    /**
     * The top node of EXPLAIN (FORMAT JSON), with others in Plans. For a tenant, the plan is made on empty
     * tables.
     */
    plan: Record<string, unknown>;
    /** Expected cost of the plan, in the planner's units. */
    total_cost: number;
    /** Expected rows of the plan. */
    plan_rows: number;
    /** Milliseconds of planning. */
    planning_time_ms?: number;
    /** Milliseconds of running. Only with explain_analyze. */
    execution_time_ms?: number;
    /** Rows returned by the query. Only with explain_analyze. */
    actual_rows?: number;
    /** What to check. */
    notes: string[];
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** The error of analyze_query. */
export type AnalyzeQueryError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What analyze_query answers. */
export type AnalyzeQueryResponse = AnalyzeQueryResult | AnalyzeQueryError;

/** Parameters of create_vcon. */
export type CreateVconParams = {
  /**
   * The vCon, as in get_examples. A party has name, tel, mailto, role; a text dialog has type, start,
   * parties, body; mediatype and encoding default to text/plain and none.
   */
  vcon_data: {
    /** 0.5.0, 0.4.0 or 0.3.0; optional. */
    vcon?: string;
    /** Made if left out. */
    uuid?: string;
    /** Subject of the conversation. */
    subject?: string;
    /** RFC 3339; else now. */
    created_at?: string;
    /**
     * Who took part: name, tel, mailto, role.
     * @minItems 1
     * @maxItems 1000
     */
    parties: Array<Record<string, unknown>>;
    /** What was said: type, start, parties, body, mediatype, encoding. */
    dialog?: Array<Record<string, unknown>>;
    /** Results: type, vendor, body, encoding. */
    analysis?: Array<Record<string, unknown>>;
    /** Documents: purpose, start, party, dialog, body, encoding. */
    attachments?: Array<Record<string, unknown>>;
    /** RFC 3339. */
    updated_at?: string;
    /** Extensions used. */
    extensions?: string[];
    /** Extensions readers need. */
    critical?: string[];
    /** Older name of critical. */
    must_support?: string[];
    /** The less redacted version. */
    redacted?: Record<string, unknown>;
    /** The earlier version. */
    amended?: Record<string, unknown>;
    [member: string]: unknown;
  };
  metadata?: VconMetadataInput;
  /**
   * false: store the vCon although it breaks the schema, and report how.
   * @default true
   */
  validate_before_insert?: boolean;
  /**
   * Also return the stored vCon.
   * @default false
   */
  return_vcon?: boolean;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
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
  /** True if the vCon is too large to be returned here. */
  vcon_omitted?: boolean;
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What create_vcon answers. */
export type CreateVconResponse = CreateVconResult | CreateVconError;

/** Parameters of create_vcon_from_template. */
export type CreateVconFromTemplateParams = {
  /** Kind of conversation. */
  template_name: "phone_call" | "chat_conversation" | "email_thread" | "video_meeting" | "custom";
  /**
   * Subject. Default: that of the template.
   * @maxLength 1000
   */
  subject?: string;
  /**
   * Parties with name, tel, mailto, role. template_params refers to them by index, from 0.
   * @minItems 2
   * @maxItems 1000
   */
  parties: Array<Record<string, unknown>>;
  metadata?: VconMetadataInput;
  /**
   * `phone_call`: start, duration, originator, direction, recording_url, content_hash. `chat_conversation`:
   * messages [{from, text, at}]. `email_thread`: messages [{from, to, cc, subject, body, date}].
   * `video_meeting`: as phone_call, attendance [{party, joined, left}]. `custom`: fields, dialog, analysis,
   * attachments.
   */
  template_params?: Record<string, unknown>;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of create_vcon_from_template. */
export type CreateVconFromTemplateResult = {
  success: true;
  /** The uuid of the stored vCon. */
  uuid: string;
  vcon?: Vcon;
  /** True if the vCon is too large to be returned here. */
  vcon_omitted?: boolean;
  conformance: Conformance;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of create_vcon_from_template. */
export type CreateVconFromTemplateError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What create_vcon_from_template answers. */
export type CreateVconFromTemplateResponse = CreateVconFromTemplateResult | CreateVconFromTemplateError;

/** Parameters of delete_vcon. */
export type DeleteVconParams = {
  /** UUID of the vCon. */
  uuid: string;
  /** Must be true. */
  confirm: boolean;
  /**
   * false: refuse to delete a vCon that has content.
   * @default true
   */
  cascade_delete?: boolean;
};

/** The success of delete_vcon. */
export type DeleteVconResult = {
  success: true;
  /** What was done. */
  message: string;
  /** UUID of the deleted vCon. */
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What delete_vcon answers. */
export type DeleteVconResponse = DeleteVconResult | DeleteVconError;

/** Parameters of get_all_tags. */
export type GetAllTagsParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
};

/** The success of get_all_tags. */
export type GetAllTagsResult = {
  success: true;
  /** Number of tags. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  tags: Tags;
  /**
   * Number of tags.
   * @minimum 0
   */
  count: number;
  [member: string]: unknown;
};

/** The error of get_all_tags. */
export type GetAllTagsError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What get_all_tags answers. */
export type GetAllTagsResponse = GetAllTagsResult | GetAllTagsError;

/** Parameters of get_database_shape. */
export type GetDatabaseShapeParams = {
  /**
   * Include row counts.
   * @default true
   */
  include_counts?: boolean;
  /**
   * Include sizes in bytes.
   * @default true
   */
  include_sizes?: boolean;
  /**
   * Include indexes.
   * @default true
   */
  include_indexes?: boolean;
  /**
   * Include columns.
   * @default false
   */
  include_columns?: boolean;
  /**
   * Include internal tables.
   * @default false
   */
  include_internal?: boolean;
};

/** The success of get_database_shape. */
export type GetDatabaseShapeResult = {
  success: true;
  /** Tables of the schema vcontract. Parts that you excluded are absent. Sizes are for the local user only. */
  database_shape: {
    /** Time of reading, RFC 3339 in UTC. */
    timestamp: string;
    /** Tables and views, those that analyze_query may read first. Others only with include_internal. */
    tables: Array<{
      /** Its name. */
      name: string;
      /** Its schema, vcontract. */
      schema: string;
      /** Whether analyze_query may read it. */
      analyzable?: boolean;
      /**
       * Number of rows: of all tenants for the local user, otherwise of the caller's tenant.
       * @minimum 0
       */
      row_count?: number;
      /** Whether row_count is exact. Otherwise it is the planner's estimate. */
      row_count_exact?: boolean;
      /** Size with indexes and partitions, as text. */
      total_size?: string;
      /** The same in bytes. */
      total_size_bytes?: number;
      /** Size without indexes, as text. */
      table_size?: string;
      /** The same in bytes. */
      table_size_bytes?: number;
      /** Size of all its indexes, as text. */
      indexes_size?: string;
      /** The same in bytes. */
      indexes_size_bytes?: number;
      /** Its indexes, by name. */
      indexes?: Array<{
        /** Its name. */
        indexname: string;
        /** The access method: btree, gin, hnsw and others. */
        index_type: string;
        /** Its size, as text. */
        index_size?: string;
        /** The same in bytes. */
        index_size_bytes?: number;
        /** Whether it is unique. */
        is_unique: boolean;
        /** Whether it is of the primary key. */
        is_primary: boolean;
        [member: string]: unknown;
      }>;
      /** Its columns, in order. */
      columns?: Array<{
        /** Its name. */
        column_name: string;
        /** Its SQL type. */
        data_type: string;
        /** YES if it may be null, otherwise NO. */
        is_nullable: string;
        [member: string]: unknown;
      }>;
      [member: string]: unknown;
    }>;
    /** Foreign keys, one entry per column. */
    relationships: Array<{
      /** The table that refers. */
      from_table: string;
      /** Its column. */
      from_column: string;
      /** The table referred to. */
      to_table: string;
      /** Its column. */
      to_column: string;
      [member: string]: unknown;
    }>;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** The error of get_database_shape. */
export type GetDatabaseShapeError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What get_database_shape answers. */
export type GetDatabaseShapeResponse = GetDatabaseShapeResult | GetDatabaseShapeError;

/** Parameters of get_database_stats. */
export type GetDatabaseStatsParams = {
  /**
   * Include scans and statements.
   * @default true
   */
  include_query_stats?: boolean;
  /**
   * Include index usage.
   * @default true
   */
  include_index_usage?: boolean;
  /**
   * Include cache hit rates.
   * @default true
   */
  include_cache_stats?: boolean;
  /**
   * Return only this table.
   * @minLength 1
   * @maxLength 63
   */
  table_name?: string;
};

/** The success of get_database_stats. */
export type GetDatabaseStatsResult = {
  success: true;
  /** The statistics. Parts that you excluded are absent. */
  database_stats: {
    /** Time of reading, RFC 3339 in UTC. */
    timestamp: string;
    /** Start of counting. Absent if it was never reset. */
    stats_reset?: string;
    /** Blocks of tables that were found in memory. */
    cache_stats?: {
      /** Cache hit rate, such as 99.12%. n/a before any read. */
      hit_ratio: string;
      /** Number of blocks found in memory. */
      heap_blocks_hit: number;
      /** Number of blocks read from disk. */
      heap_blocks_read: number;
      [member: string]: unknown;
    };
    /** Use of each table, by name. */
    table_stats?: Array<{
      /** The table. */
      table_name: string;
      /** Number of sequential scans. */
      sequential_scans: number;
      /** Number of index scans. */
      index_scans: number;
      /** Rows inserted. */
      inserts: number;
      /** Rows updated. */
      updates: number;
      /** Rows deleted. */
      deletes: number;
      /** Estimated number of rows. */
      live_rows: number;
      /** Estimated number of dead rows. */
      dead_rows: number;
      [member: string]: unknown;
    }>;
    /** Whether pg_stat_statements is installed. */
    query_stats_available?: boolean;
    /** The ten statements with the longest total time, without constants. */
    query_stats?: Array<{
      /** The statement. */
      query: string;
      /** Number of executions. */
      calls: number;
      /** Total number of rows. */
      rows: number;
      /** Total milliseconds. */
      total_ms: number;
      /** Average milliseconds. */
      mean_ms: number;
      [member: string]: unknown;
    }>;
    /** Use of each index. */
    index_usage?: Array<{
      /** Its table. */
      table_name: string;
      /** The index. */
      index_name: string;
      /** Number of scans. */
      scans: number;
      /** Entries read from it. */
      rows_read: number;
      [member: string]: unknown;
    }>;
    /** Unused indexes that are neither unique nor primary, largest first. */
    unused_indexes?: Array<{
      /** Its table. */
      table_name: string;
      /** The index. */
      index_name: string;
      /** Its size, as text. */
      index_size: string;
      /** The same in bytes. */
      index_size_bytes: number;
      [member: string]: unknown;
    }>;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** The error of get_database_stats. */
export type GetDatabaseStatsError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What get_database_stats answers. */
export type GetDatabaseStatsResponse = GetDatabaseStatsResult | GetDatabaseStatsError;

/** Parameters of get_examples. */
export type GetExamplesParams = {
  /** Kind of conversation. */
  example_type: "minimal" | "phone_call" | "chat" | "email" | "video" | "full_featured";
  /**
   * Format of the example.
   * @default "json"
   */
  format?: "json" | "yaml";
};

/** The success of get_examples. */
export type GetExamplesResult = {
  success: true;
  /** What the example shows. */
  example_type: string;
  /** Format of vcon. */
  format: string;
  /** The example, as an object or YAML text. */
  vcon: Record<string, unknown> | string;
  [member: string]: unknown;
};

/** The error of get_examples. */
export type GetExamplesError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What get_examples answers. */
export type GetExamplesResponse = GetExamplesResult | GetExamplesError;

/** Parameters of get_schema. */
export type GetSchemaParams = {
  /**
   * Schema language.
   * @default "json_schema"
   */
  format?: "json_schema" | "typescript" | "openapi";
  /**
   * 0.3.0, 0.4.0, 0.5.0 or latest.
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
  /** The schema: text for typescript, otherwise an object. */
  schema: Record<string, unknown> | string;
  [member: string]: unknown;
};

/** The error of get_schema. */
export type GetSchemaError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What get_schema answers. */
export type GetSchemaResponse = GetSchemaResult | GetSchemaError;

/** Parameters of get_tag. */
export type GetTagParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  key: TagKey;
  /** Returned if the tag is absent. */
  default_value?:
    | string
    | number
    | boolean
    | null
    | Record<string, unknown>
    | Array<string | number | boolean | null | Record<string, unknown>>;
};

/** The success of get_tag. */
export type GetTagResult = {
  success: true;
  /** Says whether the tag exists. */
  message: string;
  key: TagKey;
  /** The tag's value, the default, or null. */
  value: unknown;
  /** Whether the vCon has the tag. */
  exists: boolean;
  [member: string]: unknown;
};

/** The error of get_tag. */
export type GetTagError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What get_tag answers. */
export type GetTagResponse = GetTagResult | GetTagError;

/** Parameters of get_unique_tags. */
export type GetUniqueTagsParams = {
  /**
   * Also count the vCons of each value.
   * @default false
   */
  include_counts?: boolean;
  /**
   * Return only keys that contain this text.
   * @minLength 1
   * @maxLength 128
   */
  key_filter?: string;
  /**
   * Leave out values with fewer vCons.
   * @default 1
   * @minimum 1
   * @maximum 1000000000
   */
  min_count?: number;
};

/** The success of get_unique_tags. */
export type GetUniqueTagsResult = {
  success: true;
  /** Says how many keys there are. */
  message: string;
  /** The keys, sorted. */
  unique_keys: string[];
  /**
   * Number of keys.
   * @minimum 0
   */
  unique_key_count: number;
  /** Up to 1,000 values of each key as text, most used first. */
  tags_by_key: Record<string, string[]>;
  /** Number of vCons by key and value. Only with include_counts. */
  counts_per_value?: Record<string, Record<string, number>>;
  /** Number of values of each key that has more than are listed. */
  truncated_keys?: Record<string, number>;
  /**
   * Number of vCons with any tag, without filters.
   * @minimum 0
   */
  total_vcons_with_tags: number;
  hints?: Hints;
  [member: string]: unknown;
};

/** The error of get_unique_tags. */
export type GetUniqueTagsError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What get_unique_tags answers. */
export type GetUniqueTagsResponse = GetUniqueTagsResult | GetUniqueTagsError;

/** Parameters of get_vcon. */
export type GetVconParams = {
  /** UUID of the vCon. */
  uuid: string;
  /**
   * Arrays to return. Default: all.
   * @minItems 0
   */
  include_components?: Array<"parties" | "dialog" | "analysis" | "attachments" | "all">;
  /**
   * Also return tags, counts, conformance and times.
   * @default true
   */
  include_metadata?: boolean;
  /** Return the newest amended version or the original instead. */
  version?: "latest" | "original";
  /** Version of the syntax to return it in. Default: as stored. */
  vcon_version?: "0.4.0" | "0.5.0";
};

/** The success of get_vcon. */
export type GetVconResult = {
  success: true;
  vcon: Vcon;
  metadata?: VconMetadata;
  /** With vcon_version: what was inferred, moved, or kept in the member kept_from. Absent if nothing. */
  converted?: Warnings;
  /** State of the signature. Absent if it is not signed. */
  signature?: {
    /** broken: differs from what was signed. unverified: no trusted key or certificate made it; will not grow. */
    status: "verified" | "unverified" | "broken";
    /** What it means. */
    message: string;
    [member: string]: unknown;
  };
  /** Only when version is given. */
  versions?: {
    /** The requested UUID. */
    asked: string;
    /** UUID of the returned version. */
    given: string;
    /** Its ancestors, itself and its amended versions, oldest first. */
    chain: Array<{
      /** UUID of the vCon. */
      uuid: string;
      /** Relation to the previous one; will not grow. */
      relation: "original" | "amended" | "redacted";
      /** RFC 3339. */
      created_at: string;
      [member: string]: unknown;
    }>;
    /** False if an earlier version is not stored, or the chain has more than 32 steps. */
    complete: boolean;
    /** True if a vCon was amended more than once and the newest version was followed. Otherwise absent. */
    forked?: boolean;
    [member: string]: unknown;
  };
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What get_vcon answers. */
export type GetVconResponse = GetVconResult | GetVconError;

/** Parameters of remove_all_tags. */
export type RemoveAllTagsParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
};

/** The success of remove_all_tags. */
export type RemoveAllTagsResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /**
   * Former number of tags.
   * @minimum 0
   */
  removed_count: number;
  [member: string]: unknown;
};

/** The error of remove_all_tags. */
export type RemoveAllTagsError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What remove_all_tags answers. */
export type RemoveAllTagsResponse = RemoveAllTagsResult | RemoveAllTagsError;

/** Parameters of remove_tag. */
export type RemoveTagParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  key: TagKey;
};

/** The success of remove_tag. */
export type RemoveTagResult = {
  success: true;
  /** What was done. */
  message: string;
  key: TagKey;
  /** Whether the tag existed. */
  removed: boolean;
  /** Former value. */
  previous_value?: TagValue;
  [member: string]: unknown;
};

/** The error of remove_tag. */
export type RemoveTagError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What remove_tag answers. */
export type RemoveTagResponse = RemoveTagResult | RemoveTagError;

/** Parameters of search_by_tags. */
export type SearchByTagsParams = {
  /** Tags and their values, all of which must match. */
  tags: Record<string, string | number | boolean>;
  /**
   * Results per page.
   * @default 50
   * @minimum 1
   * @maximum 100
   */
  limit?: number;
  /**
   * Results to skip. Writes in between shift them.
   * @default 0
   * @minimum 0
   * @maximum 10000
   */
  offset?: number;
  /**
   * Arrays to return. Default: parties.
   * @minItems 0
   */
  include_components?: Array<"parties" | "dialog" | "analysis" | "attachments" | "all">;
  /**
   * A larger response is a VALIDATION_ERROR with arguments that fit.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
};

/** The success of search_by_tags. */
export type SearchByTagsResult = {
  success: true;
  /** Summary of the result. */
  message: string;
  /**
   * Number of vCons in this response.
   * @minimum 0
   */
  count: number;
  /** The compared tags as text. */
  tags_searched: Record<string, string>;
  /** UUIDs of the vCons, newest first. */
  vcon_uuids: string[];
  /** The vCons in the same order. */
  vcons: Vcon[];
  /** Whether another page follows at offset + count. */
  has_more: boolean;
  /**
   * Number of matching vCons, up to 10,000.
   * @minimum 0
   */
  total: number;
  /** at_least if there are more than total. Absent if total is exact. */
  total_relation?: string;
  hints?: Hints;
  [member: string]: unknown;
};

/** The error of search_by_tags. */
export type SearchByTagsError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What search_by_tags answers. */
export type SearchByTagsResponse = SearchByTagsResult | SearchByTagsError;

/** Parameters of search_vcons. */
export type SearchVconsParams = {
  /**
   * Part of the subject.
   * @minLength 1
   * @maxLength 1000
   */
  subject?: string;
  /**
   * Whole words of a name; Andr* is a beginning.
   * @minLength 1
   * @maxLength 1000
   */
  party_name?: string;
  /**
   * Part of an email address.
   * @minLength 1
   * @maxLength 1000
   */
  party_email?: string;
  /**
   * At least 3 digits of a phone number.
   * @minLength 1
   * @maxLength 100
   */
  party_tel?: string;
  /**
   * From this date on: YYYY-MM-DD or RFC 3339.
   * @maxLength 64
   */
  start_date?: string;
  /**
   * Up to this date. A day without a time is included.
   * @maxLength 64
   */
  end_date?: string;
  tags?: TagFilter;
  include_components?: Components;
  /**
   * Results per page.
   * @default 50
   * @minimum 1
   * @maximum 1000
   */
  limit?: number;
  /**
   * A larger response is a VALIDATION_ERROR with arguments that fit.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
  /**
   * Results to skip. Writes in between shift them.
   * @default 0
   * @minimum 0
   * @maximum 10000
   */
  offset?: number;
  /**
   * Role of that party, in any case.
   * @minLength 1
   * @maxLength 1000
   */
  party_role?: string;
  /**
   * Exact type of an analysis.
   * @minLength 1
   * @maxLength 1000
   */
  analysis_type?: string;
  /**
   * Exact vendor of an analysis, of that type if one is given.
   * @minLength 1
   * @maxLength 1000
   */
  analysis_vendor?: string;
  /**
   * Exact purpose, or older type, of an attachment.
   * @minLength 1
   * @maxLength 1000
   */
  attachment_type?: string;
};

/** The success of search_vcons. */
export type SearchVconsResult = {
  success: true;
  /** Number of vCons in this response. */
  count: number;
  /** Newest first. */
  vcons: FoundVcon[];
  /** Whether another page follows. */
  has_more: boolean;
  /** Number of matching vCons, up to 10,000. */
  total: number;
  /** at_least if there are more than total. */
  total_relation?: string;
  hints?: Hints;
  [member: string]: unknown;
};

/** The error of search_vcons. */
export type SearchVconsError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What search_vcons answers. */
export type SearchVconsResponse = SearchVconsResult | SearchVconsError;

/** Parameters of search_vcons_content. */
export type SearchVconsContentParams = {
  /**
   * Words to find.
   * @minLength 1
   * @maxLength 2000
   */
  query: string;
  tags?: TagFilter;
  /**
   * From this date on: YYYY-MM-DD or RFC 3339.
   * @maxLength 64
   */
  start_date?: string;
  /**
   * Up to this date. A day without a time is included.
   * @maxLength 64
   */
  end_date?: string;
  /**
   * Results per page.
   * @default 50
   * @minimum 1
   * @maximum 1000
   */
  limit?: number;
  /**
   * Return the text around each match.
   * @default true
   */
  include_snippets?: boolean;
  include_components?: Components;
  /**
   * A larger response is a VALIDATION_ERROR with arguments that fit.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
  /**
   * Results to skip. Writes in between shift them.
   * @default 0
   * @minimum 0
   * @maximum 10000
   */
  offset?: number;
  /**
   * Role of that party, in any case.
   * @minLength 1
   * @maxLength 1000
   */
  party_role?: string;
  /**
   * Exact type of an analysis.
   * @minLength 1
   * @maxLength 1000
   */
  analysis_type?: string;
  /**
   * Exact vendor of an analysis, of that type if one is given.
   * @minLength 1
   * @maxLength 1000
   */
  analysis_vendor?: string;
  /**
   * Exact purpose, or older type, of an attachment.
   * @minLength 1
   * @maxLength 1000
   */
  attachment_type?: string;
};

/** The success of search_vcons_content. */
export type SearchVconsContentResult = {
  success: true;
  /** Number of hits in this response, several per vCon. */
  count: number;
  /** One hit per passage, best first, up to 10 per vCon. */
  results: Array<{
    /** The vCon's uuid. */
    vcon_id: string;
    /** subject, dialog, analysis, attachment, party or trace (an agent's tools); may grow. */
    content_type: string;
    /** Index in its array. Absent for subject and trace. */
    content_index?: number;
    /**
     * How well this passage matches.
     * @minimum 0
     * @maximum 1
     */
    relevance_score: number;
    /** Number of its turn, for turns of vcon_fetch. */
    turn?: number;
    /** Speaker: name, address, role or number. */
    speaker?: string;
    /** When it was said, RFC 3339 in UTC. */
    at?: string;
    /**
     * The turn if it has up to 400 characters, otherwise up to 300 characters. Words of the query are in
     * <mark>…</mark>.
     */
    snippet?: string;
    vcon?: FoundVcon;
    [member: string]: unknown;
  }>;
  /** exact, or fuzzy if words were corrected. */
  matching: string;
  corrections?: Corrections;
  word_counts: WordCounts;
  /** Whether another page follows. */
  has_more: boolean;
  /** Number of matching vCons, up to 10,000. */
  total: number;
  /** at_least if there are more than total. */
  total_relation?: string;
  /** No longer sent; the best candidates are ranked together. */
  ranked_newest?: number;
  hints?: Hints;
  [member: string]: unknown;
};

/** The error of search_vcons_content. */
export type SearchVconsContentError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What search_vcons_content answers. */
export type SearchVconsContentResponse = SearchVconsContentResult | SearchVconsContentError;

/** Parameters of search_vcons_hybrid. */
export type SearchVconsHybridParams = {
  /**
   * Words or a sentence.
   * @minLength 1
   * @maxLength 2000
   */
  query: string;
  /**
   * Weight of meaning against words.
   * @default 0.6
   * @minimum 0
   * @maximum 1
   */
  semantic_weight?: number;
  tags?: TagFilter;
  /**
   * From this date on: YYYY-MM-DD or RFC 3339.
   * @maxLength 64
   */
  start_date?: string;
  /**
   * Up to this date. A day without a time is included.
   * @maxLength 64
   */
  end_date?: string;
  /**
   * Results per page.
   * @default 30
   * @minimum 1
   * @maximum 1000
   */
  limit?: number;
  include_components?: Components;
  /**
   * A larger response is a VALIDATION_ERROR with arguments that fit.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
  /**
   * Results to skip. Writes in between shift them.
   * @default 0
   * @minimum 0
   * @maximum 10000
   */
  offset?: number;
  /**
   * Role of that party, in any case.
   * @minLength 1
   * @maxLength 1000
   */
  party_role?: string;
  /**
   * Exact type of an analysis.
   * @minLength 1
   * @maxLength 1000
   */
  analysis_type?: string;
  /**
   * Exact vendor of an analysis, of that type if one is given.
   * @minLength 1
   * @maxLength 1000
   */
  analysis_vendor?: string;
  /**
   * Exact purpose, or older type, of an attachment.
   * @minLength 1
   * @maxLength 1000
   */
  attachment_type?: string;
};

/** The success of search_vcons_hybrid. */
export type SearchVconsHybridResult = {
  success: true;
  /** Number of vCons in this response. */
  count: number;
  /** One result per vCon, best first. */
  results: Array<{
    /** The vCon's uuid. */
    vcon_id: string;
    /**
     * Match of words and meaning in its best passage, weighted by semantic_weight. Not the sum of the two
     * other scores.
     * @minimum 0
     * @maximum 1
     */
    combined_score: number;
    /**
     * Match of words.
     * @minimum 0
     * @maximum 1
     */
    keyword_score: number;
    /**
     * Similarity of meaning.
     * @minimum 0
     * @maximum 1
     */
    semantic_score: number;
    /** strong, fair or weak. If all results are weak, at most five are returned; may grow. */
    strength?: string;
    /** The turn of the snippet, as turns of vcon_fetch takes it. */
    turn?: number;
    /** Speaker: name, address, role or number. */
    speaker?: string;
    /** When it was said, RFC 3339 in UTC. */
    at?: string;
    /** Text with words of the query: the turn if it has up to 400 characters, otherwise up to 300 characters. */
    snippet?: string;
    vcon?: FoundVcon;
    [member: string]: unknown;
  }>;
  /** exact, or fuzzy if words were corrected. */
  matching: string;
  corrections?: Corrections;
  /** Whether another page follows. */
  has_more: boolean;
  index: EmbeddingIndex;
  hints?: Hints;
  [member: string]: unknown;
};

/** The error of search_vcons_hybrid. */
export type SearchVconsHybridError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What search_vcons_hybrid answers. */
export type SearchVconsHybridResponse = SearchVconsHybridResult | SearchVconsHybridError;

/** Parameters of search_vcons_semantic. */
export type SearchVconsSemanticParams = {
  /**
   * A sentence or question.
   * @minLength 1
   * @maxLength 2000
   */
  query?: string;
  /**
   * Minimum similarity. Unrelated texts rarely reach 0.5.
   * @minimum 0
   * @maximum 1
   */
  threshold?: number;
  tags?: TagFilter;
  /**
   * From this date on: YYYY-MM-DD or RFC 3339.
   * @maxLength 64
   */
  start_date?: string;
  /**
   * Up to this date. A day without a time is included.
   * @maxLength 64
   */
  end_date?: string;
  /**
   * Results per page.
   * @default 20
   * @minimum 1
   * @maximum 1000
   */
  limit?: number;
  include_components?: Components;
  /**
   * A larger response is a VALIDATION_ERROR with arguments that fit.
   * @default 250000
   * @minimum 1024
   * @maximum 10000000
   */
  max_response_bytes?: number;
  /**
   * Results to skip. Writes in between shift them.
   * @default 0
   * @minimum 0
   * @maximum 10000
   */
  offset?: number;
  /**
   * Role of that party, in any case.
   * @minLength 1
   * @maxLength 1000
   */
  party_role?: string;
  /**
   * Exact type of an analysis.
   * @minLength 1
   * @maxLength 1000
   */
  analysis_type?: string;
  /**
   * Exact vendor of an analysis, of that type if one is given.
   * @minLength 1
   * @maxLength 1000
   */
  analysis_vendor?: string;
  /**
   * Exact purpose, or older type, of an attachment.
   * @minLength 1
   * @maxLength 1000
   */
  attachment_type?: string;
  /** Embedding of the query, 384 numbers. */
  embedding?: number[];
};

/** The success of search_vcons_semantic. */
export type SearchVconsSemanticResult = {
  success: true;
  /** Number of vCons in this response. */
  count: number;
  /** One result per vCon, best first. */
  results: Array<{
    /** The vCon's uuid. */
    vcon_id: string;
    /**
     * Calibrated similarity of its best passage.
     * @minimum 0
     * @maximum 1
     */
    similarity_score: number;
    /** The cosine that the similarity was calibrated from. */
    cosine: number;
    /** strong, fair or weak. If all results are weak, at most five are returned; may grow. */
    strength?: string;
    /** Passages that reach the threshold, up to three per kind. */
    matched_content: {
      /** The subject, if it is similar. */
      subject?: string;
      /** Similar turns. */
      dialog_excerpts?: Array<{
        /** Index in dialog. */
        dialog_index: number;
        /** Number of its turn, for turns of vcon_fetch. */
        turn?: number;
        /** Speaker: name, address, role or number. */
        speaker?: string;
        /** When it was said, RFC 3339 in UTC. */
        at?: string;
        /** The turn if it has up to 400 characters, otherwise up to 300 characters. */
        text: string;
        /** Its similarity. */
        relevance: number;
        [member: string]: unknown;
      }>;
      /** Similar analyses. */
      analysis_excerpts?: Array<{
        /** Index in analysis. */
        analysis_index: number;
        /** The analysis type. */
        type?: string;
        /** Number of its turn, for turns of vcon_fetch. */
        turn?: number;
        /** Speaker: name, address, role or number. */
        speaker?: string;
        /** When it was said, RFC 3339 in UTC. */
        at?: string;
        /** The turn if it has up to 400 characters, otherwise up to 300 characters. */
        text: string;
        /** Its similarity. */
        relevance: number;
        [member: string]: unknown;
      }>;
      /** Similar attachments. */
      attachment_excerpts?: Array<{
        /** Index in attachments. */
        attachment_index: number;
        /** Up to 300 characters. */
        text: string;
        /** Its similarity. */
        relevance: number;
        [member: string]: unknown;
      }>;
      /** Similar tool use of an agent. */
      trace_excerpts?: Array<{
        /** Up to 300 characters. */
        text: string;
        /** Its similarity. */
        relevance: number;
        [member: string]: unknown;
      }>;
      [member: string]: unknown;
    };
    vcon?: FoundVcon;
    [member: string]: unknown;
  }>;
  /** Whether another page follows. */
  has_more: boolean;
  index: EmbeddingIndex;
  /** The best similarity, if none reached the threshold. */
  best_below_threshold?: number;
  /** What to do instead. */
  suggestions?: string[];
  hints?: Hints;
  [member: string]: unknown;
};

/** The error of search_vcons_semantic. */
export type SearchVconsSemanticError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What search_vcons_semantic answers. */
export type SearchVconsSemanticResponse = SearchVconsSemanticResult | SearchVconsSemanticError;

/** Parameters of update_tags. */
export type UpdateTagsParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  tags: TagSet;
  /**
   * false: remove all other tags.
   * @default true
   */
  merge?: boolean;
};

/** The success of update_tags. */
export type UpdateTagsResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /** All tags of the vCon. */
  tags: Tags;
  /**
   * Number of tags.
   * @minimum 0
   */
  count: number;
  /** Added keys. */
  added: string[];
  /** Changed keys. */
  updated: string[];
  /** Removed keys. */
  removed: string[];
  [member: string]: unknown;
};

/** The error of update_tags. */
export type UpdateTagsError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What update_tags answers. */
export type UpdateTagsResponse = UpdateTagsResult | UpdateTagsError;

/** Parameters of update_vcon. */
export type UpdateVconParams = {
  /** UUID of the vCon. */
  uuid: string;
  /** Members to change. null removes a member. */
  updates: {
    /** Subject of the conversation. */
    subject?: string | null;
    /** Extensions used. */
    extensions?: string[] | null;
    [member: string]: unknown;
  };
  /**
   * merge: patch as in RFC 7396. append: add to arrays. replace: replace whole members.
   * @default "merge"
   */
  merge_strategy?: "replace" | "merge" | "append";
  /**
   * Reject updates that break the schema. false: only report them, except wrong types.
   * @default true
   */
  validate_after_update?: boolean;
  /** updated_at that you read. Fails with CONFLICT if the vCon changed since then. */
  expected_updated_at?: string;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of update_vcon. */
export type UpdateVconResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  uuid: string;
  updated_vcon?: Vcon;
  /** True if the vCon is too large to be returned here. */
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What update_vcon answers. */
export type UpdateVconResponse = UpdateVconResult | UpdateVconError;

// Bridge tools

/** Parameters of bridge_autoframe. */
export type BridgeAutoframeParams = {
  /**
   * ID of the source.
   * @minLength 1
   * @maxLength 64
   */
  sourceId: string;
  /**
   * true: return the result without saving it.
   * @default false
   */
  preview?: boolean;
};

/** The success of bridge_autoframe. */
export type BridgeAutoframeResult = {
  success: true;
  /** True when nothing was saved. */
  preview: boolean;
  /** The moments; in a preview without ids. */
  created: BridgeDraft[];
  /** Unreviewed records that these replace. */
  superseded: string[];
  /** In a preview, records that would be replaced. */
  wouldSupersede?: string[];
  batch: BridgeBatch;
  /** How much of each source is in an excerpt. */
  coverage: Array<{
    /** The source. */
    sourceId: string;
    /**
     * Share of its text, without spaces.
     * @minimum 0
     * @maximum 1
     */
    share: number;
    [member: string]: unknown;
  }>;
  /**
   * Number of attempts.
   * @minimum 0
   */
  attempts: number;
  /** The model. */
  model?: string;
  warnings: BridgeNotices;
  hints: BridgeNotices;
  [member: string]: unknown;
};

/** The error of bridge_autoframe. */
export type BridgeAutoframeError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "LLM_UNAVAILABLE"
    | "LLM_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What bridge_autoframe answers. */
export type BridgeAutoframeResponse = BridgeAutoframeResult | BridgeAutoframeError;

/** Parameters of bridge_autoweave. */
export type BridgeAutoweaveParams = {
  /**
   * IDs of moments.
   * @maxItems 50
   */
  momentIds?: string[];
  /**
   * IDs of scenes.
   * @maxItems 50
   */
  sceneIds?: string[];
  /**
   * true: return the result without saving it.
   * @default false
   */
  preview?: boolean;
};

/** The success of bridge_autoweave. */
export type BridgeAutoweaveResult = {
  success: true;
  /** True when nothing was saved. */
  preview: boolean;
  /** The scenes; in a preview without ids. */
  created: BridgeDraft[];
  /** Unreviewed records that these replace. */
  superseded: string[];
  /** In a preview, records that would be replaced. */
  wouldSupersede?: string[];
  batch: BridgeBatch;
  /** Records of the batch that are in no scene. */
  unplaced: Array<{
    /** The record. */
    id: string;
    /** Why, in the model's words. */
    reason: string;
    [member: string]: unknown;
  }>;
  /**
   * Number of attempts.
   * @minimum 0
   */
  attempts: number;
  /** The model. */
  model?: string;
  warnings: BridgeNotices;
  hints: BridgeNotices;
  [member: string]: unknown;
};

/** The error of bridge_autoweave. */
export type BridgeAutoweaveError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "LLM_UNAVAILABLE"
    | "LLM_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What bridge_autoweave answers. */
export type BridgeAutoweaveResponse = BridgeAutoweaveResult | BridgeAutoweaveError;

/** Parameters of bridge_capture. */
export type BridgeCaptureParams = {
  content?: BridgeContent;
  experiencer: BridgeExperiencer;
  /** Grammatical person of the text. */
  perspective: BridgePerspective;
  /** When it was written, relative to the experience. */
  processing: BridgeProcessing;
  /**
   * Kind of text, such as text or transcript.
   * @default "text"
   * @minLength 1
   * @maxLength 64
   */
  contentType?: string;
  when?: BridgeWhen;
  /** IDs of earlier sources that this one reflects on. */
  reflects_on?: BridgeIds;
  /**
   * Path of a text file to read.
   * @minLength 1
   * @maxLength 4096
   */
  file?: string;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of bridge_capture. */
export type BridgeCaptureResult = {
  success: true;
  record: BridgeRecord;
  warnings: BridgeNotices;
  hints: BridgeNotices;
  [member: string]: unknown;
};

/** The error of bridge_capture. */
export type BridgeCaptureError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What bridge_capture answers. */
export type BridgeCaptureResponse = BridgeCaptureResult | BridgeCaptureError;

/** Parameters of bridge_enrich. */
export type BridgeEnrichParams = {
  /**
   * Record ID.
   * @minLength 1
   * @maxLength 64
   */
  id: string;
  /** Fields to change, as in capture, frame and weave, and reviewed. '' or [] clears a field. */
  updates: {
    /** Source. */
    content?: string;
    /** Source. */
    contentType?: string;
    /** Source. */
    perspective?: string;
    /** Source. */
    processing?: string;
    /** Source; [] clears. */
    reflects_on?: string[];
    /** Any. */
    experiencer?: string;
    /** Any; '' clears. */
    when?: string;
    /** Moment, scene. */
    emoji?: string;
    /** Moment, scene. */
    summary?: string;
    /** Moment ('' clears), scene. */
    narrative?: string;
    /** Moment, scene. */
    shot?: string;
    /** Moment, scene. */
    reviewed?: boolean;
    /** Moment; excerpts of those that stay remain. */
    sourceIds?: string[];
    /** Scene. */
    momentIds?: string[];
    /** Scene. */
    sceneIds?: string[];
    /** Moment; replaced whole. */
    qualities?: Array<Record<string, unknown>>;
    [member: string]: unknown;
  };
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of bridge_enrich. */
export type BridgeEnrichResult = {
  success: true;
  record: BridgeRecord;
  /** Changes. Texts are cut at 200 characters. */
  changes: Array<{
    /** The field. */
    field: string;
    /** Former value as text. Absent if it had none. */
    before?: string;
    /** New value as text. Absent if it has none. */
    after?: string;
    [member: string]: unknown;
  }>;
  warnings: BridgeNotices;
  hints: BridgeNotices;
  [member: string]: unknown;
};

/** The error of bridge_enrich. */
export type BridgeEnrichError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What bridge_enrich answers. */
export type BridgeEnrichResponse = BridgeEnrichResult | BridgeEnrichError;

/** Parameters of bridge_frame. */
export type BridgeFrameParams = {
  /** IDs of the sources. */
  sourceIds: BridgeIds;
  /** One emoji. */
  emoji: BridgeEmoji;
  summary: BridgeSummary;
  /** How attention moved. */
  shot: BridgeShot;
  /**
   * Qualities of the experience, and how each shows.
   * @minItems 1
   * @maxItems 20
   */
  qualities: BridgeQuality[];
  narrative?: BridgeNarrative;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of bridge_frame. */
export type BridgeFrameResult = {
  success: true;
  record: BridgeRecord;
  /** Unreviewed records that this one replaces. */
  superseded: string[];
  warnings: BridgeNotices;
  hints: BridgeNotices;
  [member: string]: unknown;
};

/** The error of bridge_frame. */
export type BridgeFrameError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What bridge_frame answers. */
export type BridgeFrameResponse = BridgeFrameResult | BridgeFrameError;

/** Parameters of bridge_release. */
export type BridgeReleaseParams = {
  /**
   * Record ID.
   * @minLength 1
   * @maxLength 64
   */
  id: string;
};

/** The success of bridge_release. */
export type BridgeReleaseResult = {
  success: true;
  /** Deleted records, the requested one first. */
  released: BridgeRecordRef[];
  /** Remaining records that lost a link to it. */
  unlinked: BridgeRecordRef[];
  /** Superseded records that are active again. */
  restored: BridgeRecordRef[];
  /** True if it had already been deleted. */
  alreadyReleased?: boolean;
  /** When it was deleted, RFC 3339. */
  releasedAt?: string;
  /** The record whose release deleted it. */
  causeId?: string;
  warnings: BridgeNotices;
  hints: BridgeNotices;
  [member: string]: unknown;
};

/** The error of bridge_release. */
export type BridgeReleaseError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What bridge_release answers. */
export type BridgeReleaseResponse = BridgeReleaseResult | BridgeReleaseError;

/** Parameters of bridge_search. */
export type BridgeSearchParams = {
  /**
   * Text or ID.
   * @minLength 1
   * @maxLength 2000
   */
  query?: string;
  created?: BridgeWindow;
  /** Event time. */
  when?: BridgeWindow;
  /** Reflects on ID. */
  reflectedOn?: string;
  /** Types. */
  type?: Array<"source" | "moment" | "scene">;
  /** Whose. */
  experiencer?: string;
  /** All. */
  qualities?: BridgeQualityType[];
  /** At capture. */
  perspective?: BridgePerspective;
  /** At capture. */
  processing?: BridgeProcessing;
  /** Of a moment. */
  shot?: BridgeShot;
  /** In a moment. */
  framed?: boolean;
  /** By event time. */
  groupBy?: "type" | "experiencer" | "day" | "week" | "month" | "hierarchy";
  /** Order. */
  sort?: "relevance" | "created" | "when";
  /**
   * Page size.
   * @default 20
   * @minimum 1
   * @maximum 100
   */
  limit?: number;
  /**
   * Whole records.
   * @default false
   */
  includeContext?: boolean;
  /** By a person. */
  reviewed?: boolean;
};

/** The success of bridge_search. */
export type BridgeSearchResult = {
  success: true;
  /** Layout of the text; will not grow. */
  format: "base" | "enhanced" | "grouped";
  /**
   * Number of matching records, including those not shown.
   * @minimum 0
   */
  total: number;
  /** False if there may be more. */
  totalIsExact: boolean;
  /**
   * Records shown.
   * @minimum 0
   */
  returned: number;
  /** Results in order, never nested. */
  results: BridgeSearchHit[];
  /** With groupBy, in the order of the text. */
  groups?: Array<{
    /** Key of the group. In a hierarchy, the ID of its root. */
    key: string;
    /** Its name. */
    label: string;
    /** Matching records in it. */
    count: number;
    /** Number of shown records. */
    returned: number;
    /** Their ids. */
    ids: string[];
    [member: string]: unknown;
  }>;
  /** Number of groups, including those not listed. */
  groupTotal?: number;
  /** If nothing was found: number of matches without each filter. */
  emptyBecause?: Array<{
    /** The filter. */
    without: string;
    /** Records that match without it. */
    total: number;
    [member: string]: unknown;
  }>;
  /** What was searched for. */
  applied: {
    /** Filters, times as resolved. */
    filters: Record<string, unknown>;
    /** Sort order. */
    sort: string;
    /** Grouping. */
    groupBy?: string;
    /** Maximum number of records. */
    limit: number;
    /** How the query was matched: filters without one, both is by words and meaning; may grow. */
    strategy: "filters" | "text" | "both";
    [member: string]: unknown;
  };
  warnings: BridgeNotices;
  hints: BridgeNotices;
  [member: string]: unknown;
};

/** The error of bridge_search. */
export type BridgeSearchError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What bridge_search answers. */
export type BridgeSearchResponse = BridgeSearchResult | BridgeSearchError;

/** Parameters of bridge_status. */
export type BridgeStatusParams = Record<string, never>;

/** The success of bridge_status. */
export type BridgeStatusResult = {
  success: true;
  /** Number of records, without superseded moments and scenes. */
  counts: {
    /** Sources. */
    sources: number;
    /** Sources that reflect on another. */
    reflections: number;
    /** Moments. */
    moments: number;
    /** Scenes. */
    scenes: number;
    [member: string]: unknown;
  };
  /** Sources in no moment. */
  unframedSources: number;
  /** Moments in no scene. */
  unwovenMoments: number;
  /** Made by a model and not reviewed. */
  unreviewed: {
    /** Moments. */
    moments: number;
    /** Scenes. */
    scenes: number;
    [member: string]: unknown;
  };
  /** Superseded records. */
  superseded: {
    /** Moments. */
    moments: number;
    /** Scenes. */
    scenes: number;
    [member: string]: unknown;
  };
  /** Unresolved errors of autoframe and autoweave in the last 30 days, by type. */
  processingErrors: Array<{
    /** framing or weaving. */
    type: string;
    /** Number. */
    count: number;
    /** Code of the last one. */
    lastCode: string;
    /** Its reason. */
    lastReason: string;
    /** When, RFC 3339. */
    lastOccurrence: string;
    [member: string]: unknown;
  }>;
  /** Recent activity. */
  recentActivity: {
    /** Length of the period in hours. */
    hours: number;
    /** Sources captured. */
    captured: number;
    /** Moments framed. */
    framed: number;
    /** Scenes woven. */
    woven: number;
    /** Records enriched. */
    enriched: number;
    /** Records released. */
    released: number;
    /** Time of the last change, RFC 3339. */
    last?: string;
    [member: string]: unknown;
  };
  /** Progress of embedding. */
  embeddings: {
    /** Passages. */
    passages: number;
    /** Those with a vector. */
    embedded: number;
    /** embedded / passages; 1 without any. */
    coverage: number;
    /** The model searched. */
    model?: string;
    /** Waiting time of the oldest. */
    oldestPendingSeconds?: number;
    [member: string]: unknown;
  };
  /** The language model of autoframe and autoweave. */
  llm: {
    /** Whether one is configured. */
    configured: boolean;
    /** Its name. */
    model?: string;
    /** Settings that are not set. */
    missing: string[];
    [member: string]: unknown;
  };
  warnings: BridgeNotices;
  hints: BridgeNotices;
  [member: string]: unknown;
};

/** The error of bridge_status. */
export type BridgeStatusError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "DATABASE_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What bridge_status answers. */
export type BridgeStatusResponse = BridgeStatusResult | BridgeStatusError;

/** Parameters of bridge_weave. */
export type BridgeWeaveParams = {
  /** IDs of the moments. */
  momentIds: BridgeIds;
  /** One emoji. */
  emoji: BridgeEmoji;
  /** Summary in 5 to 7 words. */
  summary: BridgeSummary;
  /** What connects the moments. */
  narrative: BridgeNarrative;
  /** How attention moved. */
  shot: BridgeShot;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of bridge_weave. */
export type BridgeWeaveResult = {
  success: true;
  record: BridgeRecord;
  /** Unreviewed records that this one replaces. */
  superseded: string[];
  warnings: BridgeNotices;
  hints: BridgeNotices;
  [member: string]: unknown;
};

/** The error of bridge_weave. */
export type BridgeWeaveError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What bridge_weave answers. */
export type BridgeWeaveResponse = BridgeWeaveResult | BridgeWeaveError;

// Memory tools

/** Parameters of memory_read. */
export type MemoryReadParams = {
  /**
   * path of a search result.
   * @minLength 1
   * @maxLength 4096
   */
  path: string;
  /**
   * First line.
   * @default 1
   * @minimum 1
   */
  startLine?: number;
  /**
   * Last line. Default: the end.
   * @minimum 1
   */
  endLine?: number;
};

/** The success of memory_read. */
export type MemoryReadResult = {
  success: true;
  /** The archived transcript. */
  path: string;
  /** The agent's session. */
  session_id: string;
  /** Name of the project. */
  project: string;
  /** Date of its first entry, UTC. */
  date: string;
  /** The program that wrote it, such as claude-code or cursor. */
  harness: string;
  /** UUID of the conversation's vCon, with the whole trace. */
  vcon_uuid: string;
  /** Lines of the transcript. */
  total_lines: number;
  /** First line of this response. */
  start_line: number;
  /** Its last line. */
  end_line: number;
  /** The exchanges in these lines. */
  exchanges: Array<{
    /** Number of the exchange in the conversation. */
    number: number;
    /** First line of the exchange. */
    line_start: number;
    /** Its last line. */
    line_end: number;
    /** Start, RFC 3339 in UTC. */
    started_at: string;
    /** What the person said in these lines. */
    user?: string;
    /** What the agent said. */
    assistant?: string;
    /** One line per tool call. */
    tools?: string[];
    /** Outputs of these calls that are longer than a line, in order. */
    outputs?: Array<{
      /** Line of the call. Read it as startLine and endLine for the whole output. */
      line: number;
      /** The output, or its beginning. */
      text: string;
      /** Length of the whole output. */
      characters: number;
      [member: string]: unknown;
    }>;
    /** Sub-agents that it started. */
    sub_agents?: string[];
    /** Notices of compaction, interruption and unreadable lines. */
    notes?: string[];
    [member: string]: unknown;
  }>;
  /** Whether the response ends before the requested lines. */
  truncated: boolean;
  /** startLine to continue with, if it does. */
  next_start_line?: number;
  [member: string]: unknown;
};

/** The error of memory_read. */
export type MemoryReadError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What memory_read answers. */
export type MemoryReadResponse = MemoryReadResult | MemoryReadError;

/** Parameters of memory_search. */
export type MemorySearchParams = {
  /** Text, or 2 to 5 concepts that each result must contain. */
  query: string | string[];
  /**
   * vector: by meaning. text: all words must occur.
   * @default "both"
   */
  mode?: "vector" | "text" | "both";
  /**
   * Results per page.
   * @default 10
   * @minimum 1
   * @maximum 50
   */
  limit?: number;
  /**
   * From this day on: YYYY-MM-DD.
   * @pattern ^\d{4}-\d{2}-\d{2}$
   */
  after?: string;
  /**
   * Before this day: YYYY-MM-DD.
   * @pattern ^\d{4}-\d{2}-\d{2}$
   */
  before?: string;
  /**
   * Project name or root folder.
   * @minLength 1
   * @maxLength 1024
   */
  project?: string;
  /**
   * Matching exchanges shown per conversation.
   * @default 1
   * @minimum 1
   * @maximum 10
   */
  exchanges?: number;
  /**
   * Results to skip.
   * @default 0
   * @minimum 0
   * @maximum 10000
   */
  offset?: number;
  /**
   * Markdown for reading, or JSON.
   * @default "markdown"
   */
  response_format?: "markdown" | "json";
};

/** The success of memory_search. */
export type MemorySearchResult = {
  success: true;
  /** One result per conversation, best first. */
  results: Array<{
    /** Path of the archived transcript, for memory_read. */
    path: string;
    /** Name of the project. */
    project: string;
    /** Date of the matching exchange, UTC. */
    date: string;
    /**
     * Score of the match, rounded down to two decimals.
     * @minimum 0
     * @maximum 1
     */
    score: number;
    /** The conversation in one line, at most 300 characters. */
    summary: string;
    /** Text around the match, at most 240 characters and a mark where it was cut. */
    snippet: string;
    /** First line of the matching exchange. */
    line_start: number;
    /** Its last line. */
    line_end: number;
    /** Line of the matching message, or the first line if a tool call matched. */
    match_line?: number;
    /** Number of the exchange. */
    exchange: number;
    /** Number of exchanges in the conversation. */
    exchanges: number;
    /** The agent's session. */
    session_id: string;
    /** The vCon of the conversation. */
    vcon_uuid: string;
    /** The program that wrote it, such as claude-code or cursor. */
    harness: string;
    /** The branch worked on, if known. */
    git_branch?: string;
    /**
     * Similarity of meaning, for a single query.
     * @minimum 0
     * @maximum 1
     */
    similarity?: number;
    /**
     * Match of words, for a single query.
     * @minimum 0
     * @maximum 1
     */
    text_score?: number;
    /** Best score of each concept, if query is an array. */
    concepts?: Array<{
      /** The concept. */
      query: string;
      /**
       * Its score, rounded down.
       * @minimum 0
       * @maximum 1
       */
      score: number;
      [member: string]: unknown;
    }>;
    /** strong, fair or weak. If all results are weak, at most ten are returned; may grow. */
    strength?: string;
    /** Paths of later conversations with the same exchange. */
    also_in?: string[];
    /** Further matching exchanges, best first, if requested. */
    more?: Array<{
      /** Its number. */
      exchange: number;
      /** Its first line. */
      line_start: number;
      /** Its last line. */
      line_end: number;
      /** Line of the message that matched. */
      match_line: number;
      /** Its day, UTC. */
      date: string;
      /**
       * How well it fits.
       * @minimum 0
       * @maximum 1
       */
      score: number;
      /** strong, fair or weak; may grow. */
      strength: string;
      /** Text around the match. */
      snippet: string;
      [member: string]: unknown;
    }>;
    /** Number of further matching exchanges. */
    more_exchanges?: number;
    [member: string]: unknown;
  }>;
  /** Conversations that match. */
  total: number;
  /** Number of conversations in this response. */
  returned: number;
  /** Offset of the next page, if any. */
  next_offset?: number;
  /** False if there may be more than total. */
  total_is_exact: boolean;
  /** vector, text or both. text if search by meaning is unavailable. */
  mode_used: string;
  /** True if no exchange contains all words, or a part of a word matched. */
  relaxed?: boolean;
  /**
   * Share of the text that is embedded.
   * @minimum 0
   * @maximum 1
   */
  embedding_coverage: number;
  /** What was searched. */
  scope: {
    /** First date. */
    after?: string;
    /** Date before which results end. */
    before?: string;
    /** Only this project. */
    project?: string;
    /** Whether sub-agents were searched. */
    sidechains: boolean;
    [member: string]: unknown;
  };
  /** Says that nothing was found. */
  message?: string;
  /** Notices about this response. */
  notes?: string[];
  [member: string]: unknown;
};

/** The error of memory_search. */
export type MemorySearchError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "DATABASE_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "SEMANTIC_UNAVAILABLE";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What memory_search answers. */
export type MemorySearchResponse = MemorySearchResult | MemorySearchError;

// Session tools

/** Parameters of session_checkpoint. */
export type SessionCheckpointParams = {
  session_id?: SessionId;
};

/** The success of session_checkpoint. */
export type SessionCheckpointResult = {
  success: true;
  quality_score: QualityScore;
  recommendations: Recommendations;
  /** Whether the commit was made. */
  git_checkpoint_created: boolean;
  /** The git checkpoint. */
  git: {
    /** created, disabled, not_a_repository, nothing_to_commit, refused, failed or timeout; may grow. */
    status: string;
    /** Why no commit was made, or what failed. */
    reason: string | null;
    /** The commit that was made. */
    commit: string | null;
    /** The git branch. */
    branch: string | null;
    /** Number of committed files. */
    files: number;
    [member: string]: unknown;
  };
  /** Suggestions. */
  optimization_suggestions: string[];
  /** Statistics of the session. null if unknown. */
  workflow_insights: {
    /** Minutes since init. */
    session_minutes: number | null;
    /** Since the last checkpoint. */
    minutes_since_checkpoint: number | null;
    /** Number of checkpoints, including this one. */
    checkpoints: number | null;
    /** Commits since init. */
    commits_since_start: number | null;
    /** Tracked files changed. */
    changed_files: number | null;
    /** Number of untracked files. */
    untracked_files: number | null;
    /** Minutes since init. */
    lines_added: number | null;
    /** Minutes since init. */
    lines_removed: number | null;
    /** Since the last checkpoint or init. */
    score_change: number | null;
    /** Number in this session. */
    reflections_stored: number | null;
    /** Number of passages that are not embedded yet. */
    embedding_backlog: number | null;
    [member: string]: unknown;
  };
  /** ID of the session. null if it was not stored. */
  session_id: string | null;
  /** ID of the checkpoint. null if it was not stored. */
  checkpoint_id: string | null;
  /** The folder of the session. */
  working_directory?: string | null;
  /** No longer sent: a checkpoint needs a session. */
  session_started?: boolean;
  [member: string]: unknown;
};

/** The error of session_checkpoint. */
export type SessionCheckpointError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_checkpoint answers. */
export type SessionCheckpointResponse = SessionCheckpointResult | SessionCheckpointError;

/** Parameters of session_end. */
export type SessionEndParams = {
  session_id?: SessionId;
};

/** The success of session_end. */
export type SessionEndResult = {
  success: true;
  /**
   * The current overall score.
   * @minimum 0
   * @maximum 100
   */
  final_quality_score: number;
  /** Reflections stored in this session, cut after 300 characters with … and the ID. */
  learning_captured: {
    /** Reflections tagged insight, or without any of the three tags. */
    insights: string[];
    /** Reflections tagged solution. */
    solutions: string[];
    /** Reflections tagged pattern. */
    patterns: string[];
    [member: string]: unknown;
  };
  /** Whether the file was written. */
  handoff_file_created: boolean;
  /** Path of the handoff file. */
  handoff_file_path?: string;
  /** Why no handoff file was written. */
  handoff_skipped?: string;
  /** Whether the end of the session was stored. */
  memory_persisted: boolean;
  /** Whether cleaning up succeeded. */
  cleanup_performed: boolean;
  /** Numbers of removed rows. */
  cleanup: {
    /** Number of expired cached results. */
    cache_entries: number;
    /** Number of sessions marked as abandoned. */
    stale_sessions: number;
    /** Number of deleted old handoff files. */
    handoff_files: number;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** The error of session_end. */
export type SessionEndError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_end answers. */
export type SessionEndResponse = SessionEndResult | SessionEndError;

/** Parameters of session_get_cached_chunk. */
export type SessionGetCachedChunkParams = {
  /**
   * cache_key of the chunked response.
   * @minLength 1
   * @maxLength 64
   */
  cache_key: string;
  /**
   * Number of the chunk, from 1.
   * @minimum 1
   */
  chunk_index: number;
};

/** The success of session_get_cached_chunk. */
export type SessionGetCachedChunkResult = {
  success: true;
  /** Whether this is a part of a long response. */
  chunked: boolean;
  /** Its number, from 1. */
  current_chunk: number;
  /** How many there are. */
  total_chunks: number;
  /** When the cached response expires. */
  expires_at: string;
  cache_key: CacheKey;
  /** Whether another chunk follows. */
  has_more: boolean;
  /** The results of this chunk. */
  results: MemoryResult[];
  [member: string]: unknown;
};

/** The error of session_get_cached_chunk. */
export type SessionGetCachedChunkError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_get_cached_chunk answers. */
export type SessionGetCachedChunkResponse = SessionGetCachedChunkResult | SessionGetCachedChunkError;

/** Parameters of session_get_more_results. */
export type SessionGetMoreResultsParams = {
  /**
   * The query of quick_search.
   * @minLength 1
   * @maxLength 1000
   */
  query: string;
  /**
   * Results to skip.
   * @default 3
   * @minimum 0
   */
  offset?: number;
  /**
   * Results per page.
   * @default 3
   * @minimum 1
   * @maximum 50
   */
  limit?: number;
  project?: ProjectFilter;
  /**
   * cache_key of quick_search. Default: the newest.
   * @minLength 1
   * @maxLength 64
   */
  cache_key?: string;
};

/** The success of session_get_more_results. */
export type SessionGetMoreResultsResult = {
  success: true;
  /** Best first. */
  results: MemoryResult[];
  /** Whether more results follow, or in a chunk more chunks. */
  has_more: boolean;
  /** Number of results. */
  total_available: number;
  cache_key: CacheKey;
  /** Says that the default offset skips results that were not shown. */
  notice?: string;
  /** Number of results deleted since then. */
  gone?: number;
  next?: NextCall;
  /** Whether this is a part of a long response. */
  chunked?: boolean;
  /** Its number, from 1. */
  current_chunk?: number;
  /** How many there are. */
  total_chunks?: number;
  /** When the cached response expires. */
  expires_at?: string;
  [member: string]: unknown;
};

/** The error of session_get_more_results. */
export type SessionGetMoreResultsError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_get_more_results answers. */
export type SessionGetMoreResultsResponse = SessionGetMoreResultsResult | SessionGetMoreResultsError;

/** Parameters of session_init. */
export type SessionInitParams = {
  /**
   * Folder of the project. Default: where the server was started.
   * @minLength 1
   * @maxLength 4096
   */
  working_directory?: string;
};

/** The success of session_init. */
export type SessionInitResult = {
  success: true;
  /** ID of the session. null if the store is unavailable. */
  session_id: string | null;
  /** Whether an active session was resumed. */
  resumed: boolean;
  /** Number of other active sessions of this caller and project. */
  other_active_sessions: number;
  project_context: ProjectContext;
  /** Whether the package manager succeeded. */
  dependencies_synced: boolean;
  dependency_sync: DependencySync;
  /** Whether the session was stored. */
  memory_initialized: boolean;
  /** Whether all permissions that apply are granted. */
  permissions_setup: boolean;
  recommendations: Recommendations;
  leftover_sessions?: LeftoverSessions;
  /** The project's last ended session. */
  previous_session: PreviousSession | null;
  /** The most useful reflections of all its sessions. */
  learning?: LearnedReflection[];
  [member: string]: unknown;
};

/** The error of session_init. */
export type SessionInitError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED"
    | "PROJECT_NOT_FOUND";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_init answers. */
export type SessionInitResponse = SessionInitResult | SessionInitError;

/** Parameters of session_quick_search. */
export type SessionQuickSearchParams = {
  /**
   * Words or a sentence.
   * @minLength 1
   * @maxLength 1000
   */
  query: string;
  project?: ProjectFilter;
  kinds?: KindsFilter;
  /**
   * Minimum score. A record with all words near one another scores at least 0.7.
   * @default 0.7
   * @minimum 0
   * @maximum 1
   */
  min_score?: number;
};

/** The success of session_quick_search. */
export type SessionQuickSearchResult = {
  success: true;
  /** Number of matches. */
  total_count: number;
  /** The best result, with up to 500 characters. */
  top_result: MemoryResult | null;
  /** Whether there is more than one. */
  has_more: boolean;
  cache_key: CacheKey;
  search_strategy: SearchStrategy;
  scope: SearchScope;
  suggestions?: SearchSuggestions;
  /** Why search by meaning was not used, or that only the nearest results are shown. */
  notice?: string;
  next?: NextCall;
  [member: string]: unknown;
};

/** The error of session_quick_search. */
export type SessionQuickSearchError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_quick_search answers. */
export type SessionQuickSearchResponse = SessionQuickSearchResult | SessionQuickSearchError;

/** Parameters of session_reflect_on_past. */
export type SessionReflectOnPastParams = {
  /**
   * Words or a sentence.
   * @minLength 1
   * @maxLength 1000
   */
  query: string;
  /**
   * Results per page.
   * @default 10
   * @minimum 1
   * @maximum 50
   */
  limit?: number;
  /**
   * Minimum score. A record with all words near one another scores at least 0.7.
   * @default 0.7
   * @minimum 0
   * @maximum 1
   */
  min_score?: number;
  project?: ProjectFilter;
  kinds?: KindsFilter;
  /**
   * Also search linked projects.
   * @default true
   */
  include_related_projects?: boolean;
};

/** The success of session_reflect_on_past. */
export type SessionReflectOnPastResult = {
  success: true;
  /** Best first. */
  results: MemoryResult[];
  /** Number of matches, regardless of limit. */
  total_found: number;
  /** Whether these are all. */
  total_is_exact: boolean;
  search_strategy: SearchStrategy;
  scope: SearchScope;
  /** The best score, if it is below min_score. */
  best_below_threshold?: number;
  suggestions?: SearchSuggestions;
  /** Why search by meaning was not used, or that only the nearest results are shown. */
  notice?: string;
  /** Share of the text that is embedded, if below 1. */
  embedding_coverage?: number;
  next?: NextCall;
  /** Whether this is a part of a long response. */
  chunked?: boolean;
  /** Its number, from 1. */
  current_chunk?: number;
  /** How many there are. */
  total_chunks?: number;
  /** When the cached response expires. */
  expires_at?: string;
  cache_key?: CacheKey;
  /** Whether another chunk follows. */
  has_more?: boolean;
  [member: string]: unknown;
};

/** The error of session_reflect_on_past. */
export type SessionReflectOnPastError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_reflect_on_past answers. */
export type SessionReflectOnPastResponse = SessionReflectOnPastResult | SessionReflectOnPastError;

/** Parameters of session_reflection_stats. */
export type SessionReflectionStatsParams = Record<string, never>;

/** The success of session_reflection_stats. */
export type SessionReflectionStatsResult = {
  success: true;
  /** Number of vCons. */
  total_conversations: number;
  /** Number of reflections. */
  total_reflections: number;
  /** Number of projects. */
  projects_tracked: number;
  /**
   * Percentage of embedded text.
   * @minimum 0
   * @maximum 100
   */
  embedding_coverage: number;
  /** Megabytes of what is stored, with the archive, without indexes. */
  storage_size_mb: number;
  /** Date and time. */
  oldest_conversation: string | null;
  /** Date and time. */
  most_recent: string | null;
  [member: string]: unknown;
};

/** The error of session_reflection_stats. */
export type SessionReflectionStatsError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_reflection_stats answers. */
export type SessionReflectionStatsResponse = SessionReflectionStatsResult | SessionReflectionStatsError;

/** Parameters of session_search_by_concept. */
export type SessionSearchByConceptParams = {
  /**
   * Words or a phrase.
   * @minLength 1
   * @maxLength 200
   */
  concept: string;
  /**
   * Return the files too.
   * @default true
   */
  include_files?: boolean;
  /**
   * Results per page.
   * @default 10
   * @minimum 1
   * @maximum 50
   */
  limit?: number;
  project?: ProjectFilter;
  kinds?: KindsFilter;
};

/** The success of session_search_by_concept. */
export type SessionSearchByConceptResult = {
  success: true;
  /** Best first. */
  results: MemoryResult[];
  /** Number of matches, regardless of limit. */
  total_found: number;
  /** Whether these are all. */
  total_is_exact: boolean;
  search_strategy: SearchStrategy;
  scope: SearchScope;
  /** The best score, if it is below 0.5. */
  best_below_threshold?: number;
  suggestions?: SearchSuggestions;
  /** Why search by meaning was not used, or that only the nearest results are shown. */
  notice?: string;
  /** Share of the text that is embedded, if below 1. */
  embedding_coverage?: number;
  /** Files of the results. */
  related_files?: Array<{
    /** Its path. */
    path: string;
    /** Number of results that mention it. */
    count: number;
    [member: string]: unknown;
  }>;
  next?: NextCall;
  /** Whether this is a part of a long response. */
  chunked?: boolean;
  /** Its number, from 1. */
  current_chunk?: number;
  /** How many there are. */
  total_chunks?: number;
  /** When the cached response expires. */
  expires_at?: string;
  cache_key?: CacheKey;
  /** Whether another chunk follows. */
  has_more?: boolean;
  [member: string]: unknown;
};

/** The error of session_search_by_concept. */
export type SessionSearchByConceptError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_search_by_concept answers. */
export type SessionSearchByConceptResponse = SessionSearchByConceptResult | SessionSearchByConceptError;

/** Parameters of session_search_by_file. */
export type SessionSearchByFileParams = {
  /**
   * Path, end of a path, or folder/.
   * @minLength 1
   * @maxLength 4096
   */
  file_path: string;
  /**
   * Results per page.
   * @default 10
   * @minimum 1
   * @maximum 50
   */
  limit?: number;
  project?: ProjectFilter;
};

/** The success of session_search_by_file. */
export type SessionSearchByFileResult = {
  success: true;
  /** Best first. */
  results: MemoryResult[];
  /** Number of matches, regardless of limit. */
  total_found: number;
  search_strategy: SearchStrategy;
  scope: SearchScope;
  suggestions?: SearchSuggestions;
  next?: NextCall;
  /** Whether this is a part of a long response. */
  chunked?: boolean;
  /** Its number, from 1. */
  current_chunk?: number;
  /** How many there are. */
  total_chunks?: number;
  /** When the cached response expires. */
  expires_at?: string;
  cache_key?: CacheKey;
  /** Whether another chunk follows. */
  has_more?: boolean;
  [member: string]: unknown;
};

/** The error of session_search_by_file. */
export type SessionSearchByFileError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_search_by_file answers. */
export type SessionSearchByFileResponse = SessionSearchByFileResult | SessionSearchByFileError;

/** Parameters of session_status. */
export type SessionStatusParams = {
  /**
   * Folder of the project. Default: that of the session.
   * @minLength 1
   * @maxLength 4096
   */
  working_directory?: string;
  session_id?: SessionId;
};

/** The success of session_status. */
export type SessionStatusResult = {
  success: true;
  /** Whether a session is active. */
  session_active: boolean;
  /** Its id. */
  session_id: string | null;
  project_context: ProjectContext;
  /** Names of the served tools. */
  available_tools: string[];
  /** State of the memory. Counts are null if the store is unavailable. */
  memory_system_status: {
    /** Whether the store is available. */
    enabled: boolean;
    /** Number of vCons. */
    conversations_stored: number | null;
    /** Whether search by meaning works. */
    embeddings_available: boolean;
    /** Number of reflections. */
    reflections_stored: number | null;
    /** Number of passages that are not embedded yet. */
    embedding_backlog: number | null;
    [member: string]: unknown;
  };
  /** Permissions of this process. */
  permissions_status: {
    /** The permissions that apply. */
    checks: Record<string, boolean>;
    /** Folders that sessions may work in. */
    allowed_roots: string[];
    /** What the operator enabled for this project. */
    opt_ins: Record<string, boolean>;
    [member: string]: unknown;
  };
  leftover_sessions?: LeftoverSessions;
  /** Checks of the server. */
  health_checks: {
    store: CheckResult;
    schema: CheckResult;
    embeddings: CheckResult;
    git: CheckResult;
    working_directory: CheckResult;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** The error of session_status. */
export type SessionStatusError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED"
    | "PROJECT_NOT_FOUND";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_status answers. */
export type SessionStatusResponse = SessionStatusResult | SessionStatusError;

/** Parameters of session_store_reflection. */
export type SessionStoreReflectionParams = {
  /**
   * Text of the insight.
   * @minLength 1
   * @maxLength 50000
   */
  content: string;
  /**
   * Tags such as insight, solution, pattern.
   * @maxItems 20
   */
  tags?: string[];
  /**
   * ID of the reflection that this one corrects.
   * @minLength 1
   * @maxLength 64
   */
  replaces?: string;
};

/** The success of session_store_reflection. */
export type SessionStoreReflectionResult = {
  success: true;
  /** Its id. */
  reflection_id: string;
  /** When it was first stored. */
  stored_at: string;
  /** Whether it is embedded. */
  embedding_generated: boolean;
  /** Its tags as stored. */
  tags_applied: string[];
  /** The session's project. */
  project: string | null;
  /** The session it belongs to. */
  session_id?: string;
  /** Whether it replaced another text. */
  replaced?: boolean;
  /** Whether the same text was already stored. */
  duplicate?: boolean;
  /** Whether it will be embedded soon. */
  embedding_pending?: boolean;
  /** Number of masked secrets. */
  redactions?: number;
  [member: string]: unknown;
};

/** The error of session_store_reflection. */
export type SessionStoreReflectionError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "INTERNAL"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED"
    | "MEMORY_UNAVAILABLE"
    | "SEARCH_FAILED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What session_store_reflection answers. */
export type SessionStoreReflectionResponse = SessionStoreReflectionResult | SessionStoreReflectionError;

// More vCon tools

/** Parameters of add_party. */
export type AddPartyParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  /** The party, with members such as name, tel, mailto, role. */
  party: Record<string, unknown>;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of add_party. */
export type AddPartyResult = {
  success: true;
  /** What was done. */
  message: string;
  /**
   * Its index in parties.
   * @minimum 0
   */
  party_index: number;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /** When the vCon was changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of add_party. */
export type AddPartyError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What add_party answers. */
export type AddPartyResponse = AddPartyResult | AddPartyError;

/** Parameters of amend_vcon. */
export type AmendVconParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of amend_vcon. */
export type AmendVconResult = {
  success: true;
  /** What was done. */
  message: string;
  /** UUID of the new version. */
  vcon_uuid: string;
  /** UUID of the previous version. */
  amends: string;
  /** When the new version was made, RFC 3339 in UTC. */
  updated_at: string;
  [member: string]: unknown;
};

/** The error of amend_vcon. */
export type AmendVconError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What amend_vcon answers. */
export type AmendVconResponse = AmendVconResult | AmendVconError;

/** Parameters of hold_vcon. */
export type HoldVconParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Reason for the hold, such as a case number.
   * @minLength 1
   * @maxLength 500
   */
  reason: string;
};

/** The success of hold_vcon. */
export type HoldVconResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /** Start of the hold, RFC 3339 in UTC. */
  held_at: string;
  [member: string]: unknown;
};

/** The error of hold_vcon. */
export type HoldVconError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What hold_vcon answers. */
export type HoldVconResponse = HoldVconResult | HoldVconError;

/** Parameters of list_holds. */
export type ListHoldsParams = {
  /**
   * Results per page.
   * @default 50
   * @minimum 1
   * @maximum 500
   */
  limit?: number;
  /**
   * Results to skip.
   * @default 0
   * @minimum 0
   * @maximum 1000000
   */
  offset?: number;
};

/** The success of list_holds. */
export type ListHoldsResult = {
  success: true;
  /**
   * Number of vCons under legal hold.
   * @minimum 0
   */
  total: number;
  /** Holds, newest first. */
  holds: Array<{
    /** UUID of the vCon. */
    vcon_uuid: string;
    /** Why. */
    reason: string;
    /** Caller who set the hold, as named in the audit. */
    held_by: string;
    /** Start of the hold, RFC 3339 in UTC. */
    held_at: string;
    [member: string]: unknown;
  }>;
  [member: string]: unknown;
};

/** The error of list_holds. */
export type ListHoldsError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What list_holds answers. */
export type ListHoldsResponse = ListHoldsResult | ListHoldsError;

/** Parameters of redact_vcon. */
export type RedactVconParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Kinds of text to remove. numbers: phone numbers, and any other number of 7 to 17 digits.
   * @maxItems 5
   */
  rules?: Array<"cards" | "numbers" | "emails" | "addresses" | "names">;
  /**
   * Words to remove, in any case, with or without accents and separators.
   * @maxItems 100
   */
  words?: string[];
  /**
   * Regular expressions of text to remove.
   * @maxItems 20
   */
  patterns?: string[];
  /**
   * Ranges of characters in a text. Their words are removed everywhere.
   * @maxItems 100
   */
  spans?: Array<{
    /**
     * As $.dialog[0].body.
     * @maxLength 1000
     */
    path: string;
    /**
     * The first character.
     * @minimum 0
     */
    start: number;
    /**
     * End, exclusive.
     * @minimum 1
     */
    end: number;
  }>;
  /**
   * Keep media and links, which cannot be redacted.
   * @default false
   */
  keep_media?: boolean;
  /**
   * false: delete the original.
   * @default true
   */
  keep_original?: boolean;
  /**
   * Only count what would be removed.
   * @default false
   */
  dry_run?: boolean;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of redact_vcon. */
export type RedactVconResult = {
  success: true;
  /** What was done. */
  message: string;
  /** UUID of the new version. Absent if none was made. */
  uuid?: string;
  /** The uuid of the original. */
  redacted_from: string;
  /** Number of redactions by kind. */
  counts: Record<string, number>;
  /** Paths of redacted members and elements, such as $.dialog[0]. */
  changed?: string[];
  /** Paths of elements whose content was removed as a whole. */
  removed: string[];
  /** Whether the original was deleted. */
  original_deleted: boolean;
  [member: string]: unknown;
};

/** The error of redact_vcon. */
export type RedactVconError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What redact_vcon answers. */
export type RedactVconResponse = RedactVconResult | RedactVconError;

/** Parameters of release_hold. */
export type ReleaseHoldParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
};

/** The success of release_hold. */
export type ReleaseHoldResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /** Whether it was held. */
  released: boolean;
  [member: string]: unknown;
};

/** The error of release_hold. */
export type ReleaseHoldError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What release_hold answers. */
export type ReleaseHoldResponse = ReleaseHoldResult | ReleaseHoldError;

/** Parameters of remove_analysis. */
export type RemoveAnalysisParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Zero-based index in the array.
   * @minimum 0
   */
  index: number;
  /** updated_at that you read. Fails with CONFLICT if the vCon changed since then. */
  expected_updated_at?: string;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of remove_analysis. */
export type RemoveAnalysisResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /**
   * Its former index in analysis.
   * @minimum 0
   */
  index: number;
  /** Whether an empty element replaces it. */
  left_placeholder: boolean;
  /**
   * Number of later elements that moved up by one.
   * @minimum 0
   */
  moved: number;
  counts: Counts;
  /** When the vCon was last changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of remove_analysis. */
export type RemoveAnalysisError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What remove_analysis answers. */
export type RemoveAnalysisResponse = RemoveAnalysisResult | RemoveAnalysisError;

/** Parameters of remove_attachment. */
export type RemoveAttachmentParams = {
  /**
   * What to do if indices refer to it or to later elements: refuse, or leave an empty element.
   * @default "refuse"
   */
  when_referenced?: "refuse" | "placeholder";
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Zero-based index in the array.
   * @minimum 0
   */
  index: number;
  /** updated_at that you read. Fails with CONFLICT if the vCon changed since then. */
  expected_updated_at?: string;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of remove_attachment. */
export type RemoveAttachmentResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /**
   * Its former index in attachments.
   * @minimum 0
   */
  index: number;
  /** Whether an empty element replaces it. */
  left_placeholder: boolean;
  /**
   * Number of later elements that moved up by one.
   * @minimum 0
   */
  moved: number;
  counts: Counts;
  /** When the vCon was last changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of remove_attachment. */
export type RemoveAttachmentError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "CONFLICT"
    | "REFERENCED"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What remove_attachment answers. */
export type RemoveAttachmentResponse = RemoveAttachmentResult | RemoveAttachmentError;

/** Parameters of remove_dialog. */
export type RemoveDialogParams = {
  /**
   * What to do if indices refer to it or to later elements: refuse, or leave an empty element.
   * @default "refuse"
   */
  when_referenced?: "refuse" | "placeholder";
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Zero-based index in the array.
   * @minimum 0
   */
  index: number;
  /** updated_at that you read. Fails with CONFLICT if the vCon changed since then. */
  expected_updated_at?: string;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of remove_dialog. */
export type RemoveDialogResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /**
   * Its former index in dialog.
   * @minimum 0
   */
  index: number;
  /** Whether an empty element replaces it. */
  left_placeholder: boolean;
  /**
   * Number of later elements that moved up by one.
   * @minimum 0
   */
  moved: number;
  counts: Counts;
  /** When the vCon was last changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of remove_dialog. */
export type RemoveDialogError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "CONFLICT"
    | "REFERENCED"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What remove_dialog answers. */
export type RemoveDialogResponse = RemoveDialogResult | RemoveDialogError;

/** Parameters of remove_party. */
export type RemovePartyParams = {
  /**
   * What to do if indices refer to it or to later elements: refuse, or leave an empty element.
   * @default "refuse"
   */
  when_referenced?: "refuse" | "placeholder";
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Zero-based index in the array.
   * @minimum 0
   */
  index: number;
  /** updated_at that you read. Fails with CONFLICT if the vCon changed since then. */
  expected_updated_at?: string;
  /**
   * A unique text for this change. A repeated call with the same key within 24 hours returns the first
   * response and writes nothing.
   * @minLength 1
   * @maxLength 200
   */
  request_key?: string;
};

/** The success of remove_party. */
export type RemovePartyResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /**
   * Its former index in parties.
   * @minimum 0
   */
  index: number;
  /** Whether an empty element replaces it. */
  left_placeholder: boolean;
  /**
   * Number of later elements that moved up by one.
   * @minimum 0
   */
  moved: number;
  counts: Counts;
  /** When the vCon was last changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of remove_party. */
export type RemovePartyError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "CONFLICT"
    | "REFERENCED"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What remove_party answers. */
export type RemovePartyResponse = RemovePartyResult | RemovePartyError;

/** Parameters of sign_vcon. */
export type SignVconParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * First add a content_hash to each element with inline content.
   * @default false
   */
  content_hashes?: boolean;
  /** updated_at that you read. Fails with CONFLICT if the vCon changed since then. */
  expected_updated_at?: string;
};

/** The success of sign_vcon. */
export type SignVconResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /** Algorithm of the server's key; may grow. */
  algorithm: "RS256" | "ES256";
  /** Subject of the key's certificate. Absent without one. */
  signer?: string;
  /**
   * Hashes that were added.
   * @minimum 0
   */
  content_hashes?: number;
  /** The time of signing, RFC 3339 in UTC. */
  updated_at: string;
  [member: string]: unknown;
};

/** The error of sign_vcon. */
export type SignVconError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What sign_vcon answers. */
export type SignVconResponse = SignVconResult | SignVconError;

/** Parameters of update_analysis. */
export type UpdateAnalysisParams = {
  /** Members to change. null removes a member. */
  analysis: Record<string, unknown>;
  /**
   * merge: patch as in RFC 7396. replace: replace the whole element.
   * @default "merge"
   */
  merge_strategy?: "merge" | "replace";
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Zero-based index in the array.
   * @minimum 0
   */
  index: number;
  /** updated_at that you read. Fails with CONFLICT if the vCon changed since then. */
  expected_updated_at?: string;
};

/** The success of update_analysis. */
export type UpdateAnalysisResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /**
   * Its index in analysis.
   * @minimum 0
   */
  index: number;
  /** Its members that changed. */
  changed: string[];
  /** Former values of changed members. Absent if nothing changed or they are too large. */
  previous?: Record<string, unknown>;
  counts: Counts;
  /** When the vCon was last changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of update_analysis. */
export type UpdateAnalysisError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What update_analysis answers. */
export type UpdateAnalysisResponse = UpdateAnalysisResult | UpdateAnalysisError;

/** Parameters of update_attachment. */
export type UpdateAttachmentParams = {
  /** Members to change. null removes a member. */
  attachment: Record<string, unknown>;
  /**
   * merge: patch as in RFC 7396. replace: replace the whole element.
   * @default "merge"
   */
  merge_strategy?: "merge" | "replace";
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Zero-based index in the array.
   * @minimum 0
   */
  index: number;
  /** updated_at that you read. Fails with CONFLICT if the vCon changed since then. */
  expected_updated_at?: string;
};

/** The success of update_attachment. */
export type UpdateAttachmentResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /**
   * Its index in attachments.
   * @minimum 0
   */
  index: number;
  /** Its members that changed. */
  changed: string[];
  /** Former values of changed members. Absent if nothing changed or they are too large. */
  previous?: Record<string, unknown>;
  counts: Counts;
  /** When the vCon was last changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of update_attachment. */
export type UpdateAttachmentError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What update_attachment answers. */
export type UpdateAttachmentResponse = UpdateAttachmentResult | UpdateAttachmentError;

/** Parameters of update_dialog. */
export type UpdateDialogParams = {
  /** Members to change. null removes a member. */
  dialog: Record<string, unknown>;
  /**
   * merge: patch as in RFC 7396. replace: replace the whole element.
   * @default "merge"
   */
  merge_strategy?: "merge" | "replace";
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Zero-based index in the array.
   * @minimum 0
   */
  index: number;
  /** updated_at that you read. Fails with CONFLICT if the vCon changed since then. */
  expected_updated_at?: string;
};

/** The success of update_dialog. */
export type UpdateDialogResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /**
   * Its index in dialog.
   * @minimum 0
   */
  index: number;
  /** Its members that changed. */
  changed: string[];
  /** Former values of changed members. Absent if nothing changed or they are too large. */
  previous?: Record<string, unknown>;
  counts: Counts;
  /** When the vCon was last changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of update_dialog. */
export type UpdateDialogError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What update_dialog answers. */
export type UpdateDialogResponse = UpdateDialogResult | UpdateDialogError;

/** Parameters of update_party. */
export type UpdatePartyParams = {
  /** Members to change. null removes a member. */
  party: Record<string, unknown>;
  /**
   * merge: patch as in RFC 7396. replace: replace the whole element.
   * @default "merge"
   */
  merge_strategy?: "merge" | "replace";
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Zero-based index in the array.
   * @minimum 0
   */
  index: number;
  /** updated_at that you read. Fails with CONFLICT if the vCon changed since then. */
  expected_updated_at?: string;
};

/** The success of update_party. */
export type UpdatePartyResult = {
  success: true;
  /** What was done. */
  message: string;
  /** The vCon's uuid. */
  vcon_uuid: string;
  /**
   * Its index in parties.
   * @minimum 0
   */
  index: number;
  /** Its members that changed. */
  changed: string[];
  /** Former values of changed members. Absent if nothing changed or they are too large. */
  previous?: Record<string, unknown>;
  counts: Counts;
  /** When the vCon was last changed, RFC 3339 in UTC. */
  updated_at: string;
  warnings?: Warnings;
  [member: string]: unknown;
};

/** The error of update_party. */
export type UpdatePartyError = {
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
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What update_party answers. */
export type UpdatePartyResponse = UpdatePartyResult | UpdatePartyError;

/** Parameters of vcon_aggregate. */
export type VconAggregateParams = {
  /**
   * Up to 3 groupings, such as [month, "tag:department"]. Times are in UTC.
   * @minItems 1
   * @maxItems 3
   */
  group_by: string[];
  /**
   * Maximum number of groups. Default: 10, or fewer if names are long.
   * @minimum 1
   * @maximum 500
   */
  top?: number;
  /**
   * handle_seconds, talk_seconds, talk_share, longest_turn_seconds, silence_seconds, overlaps, hold_seconds,
   * transfers, repeats:7 (days), tag:KEY, analysis:TYPE.path; with said: times_said, share.
   * @maxItems 12
   */
  measures?: string[];
  /**
   * count: most vCons first. duration: longest first. words: of speakers.
   * @default "count"
   */
  order?: "count" | "key" | "duration" | "words";
  /** Conditions that all must hold, as in vcon_search. */
  filters?: SearchFilters;
};

/** The success of vcon_aggregate. */
export type VconAggregateResult = {
  success: true;
  /**
   * Exact number of vCons that the filters match.
   * @minimum 0
   */
  vcons: number;
  /**
   * Number of different parties, by name, otherwise mailto, otherwise tel.
   * @minimum 0
   */
  parties: number;
  /**
   * Number of vCons with a known duration. Absent if none.
   * @minimum 1
   */
  timed?: number;
  /**
   * Total duration of their dialogs in seconds.
   * @minimum 0
   */
  duration_seconds?: number;
  /** When the earliest conversation began, RFC 3339 in UTC. Absent if none match. */
  first?: string;
  /** When the latest began. */
  last?: string;
  versions_left_out?: VersionsLeftOut;
  said_unknown?: SaidUnknown;
  measures?: Measures;
  /**
   * Number of vCons in no group, for example without the tag.
   * @minimum 0
   */
  ungrouped: number;
  /** The first groups in the requested order. A vCon with two parties is in the groups of both. */
  groups: Array<{
    /**
     * One value for each of group_by, up to 256 characters: ID of a dealer, lower-case name of a party or
     * speaker, UUID of a vCon, 2025-W42 (ISO week), Tue 09 (hour).
     */
    key: string[];
    /**
     * Display names of key: the dealer's name (of several, each with its count), the name as written, the
     * vCon's subject. Absent if equal to key.
     */
    label?: string[];
    /**
     * Exact number of vCons in the group.
     * @minimum 1
     */
    vcons: number;
    /**
     * Number of different parties.
     * @minimum 0
     */
    parties: number;
    /**
     * Number of vCons with a known duration.
     * @minimum 1
     */
    timed?: number;
    /**
     * Total duration of their dialogs in seconds.
     * @minimum 0
     */
    duration_seconds?: number;
    /**
     * By speaker: number of turns. duration_seconds is then of turns.
     * @minimum 0
     */
    turns?: number;
    /**
     * By speaker: number of words, separated by white space.
     * @minimum 0
     */
    words?: number;
    measures?: Measures;
    /** When the earliest began. */
    first: string;
    /** When the latest began. */
    last: string;
    [member: string]: unknown;
  }>;
  /** The groups that are not listed. */
  rest: {
    /**
     * Number.
     * @minimum 0
     */
    groups: number;
    /**
     * Sum of their vcons. A vCon in two groups counts twice.
     * @minimum 0
     */
    vcons: number;
    [member: string]: unknown;
  };
  hints?: Hints;
  [member: string]: unknown;
};

/** The error of vcon_aggregate. */
export type VconAggregateError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What vcon_aggregate answers. */
export type VconAggregateResponse = VconAggregateResult | VconAggregateError;

/** Parameters of vcon_relations. */
export type VconRelationsParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Maximum number of vCons, nearest first.
   * @default 100
   * @minimum 1
   * @maximum 500
   */
  max_nodes?: number;
};

/** The success of vcon_relations. */
export type VconRelationsResult = {
  success: true;
  /** The vCons, beginning with the requested one. */
  nodes: Array<{
    /** The vCon's uuid. */
    uuid: string;
    /** Whether it is stored here. If not, another vCon only refers to it. */
    stored: boolean;
    /** created_at of a stored vCon, RFC 3339 in UTC. */
    created_at?: string;
    [member: string]: unknown;
  }>;
  /** Relations: the source was made from the target, or the target belongs to its group. */
  edges: Array<{
    /** UUID of the vCon that states the relation. */
    source: string;
    /** amended, redacted or group; may grow. */
    relation: string;
    /** UUID that it refers to. */
    target: string;
    [member: string]: unknown;
  }>;
  /** Whether there are more than max_nodes. */
  truncated: boolean;
  [member: string]: unknown;
};

/** The error of vcon_relations. */
export type VconRelationsError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What vcon_relations answers. */
export type VconRelationsResponse = VconRelationsResult | VconRelationsError;

/** Parameters of vcon_topics. */
export type VconTopicsParams = {
  /**
   * day, week or month: the last full one before filters.end_date or now. Or such as 2025-W42, 2025-10,
   * 2025-10-01/2025-10-14. Default: all.
   * @maxLength 40
   */
  period?: string;
  /**
   * Another period. Default: the one before.
   * @maxLength 40
   */
  compare_to?: string;
  /** Conditions that all must hold, as in vcon_search. */
  filters?: SearchFilters;
};

/** The success of vcon_topics. */
export type VconTopicsResult = {
  success: true;
  /** The period. */
  period: {
    /** Its start, RFC 3339 in UTC. Absent if unbounded. */
    from?: string;
    /** Its end, not included. */
    to?: string;
    [member: string]: unknown;
  };
  /** The period that it is compared with. */
  compared_with?: {
    /** Its start. */
    from?: string;
    /** Its end, not included. */
    to?: string;
    [member: string]: unknown;
  };
  /**
   * Grouped vCons of the period.
   * @minimum 0
   */
  vcons: number;
  /**
   * Grouped vCons of the period that it is compared with.
   * @minimum 0
   */
  vcons_before?: number;
  /** Up to twelve topics. */
  topics: Array<{
    /** Up to five words that are frequent in it and rare elsewhere. */
    words: string[];
    /**
     * Number of vCons in the period.
     * @minimum 0
     */
    now: number;
    /**
     * Number in the other period.
     * @minimum 0
     */
    before?: number;
    /** now minus before. */
    change?: number;
    /** change / before. Absent if before is 0: the topic is new. */
    growth?: number;
    /** The three vCons nearest its centre, of the period if it has any. */
    examples: Array<{
      /** ID of the vCon. */
      id: string;
      /** When it began. */
      began_at: string;
      /** Its subject, if any. */
      subject?: string;
      [member: string]: unknown;
    }>;
    [member: string]: unknown;
  }>;
  /**
   * vCons of the period in no topic, because they are not embedded.
   * @minimum 0
   */
  without_vector: number;
  /**
   * Those of the other period.
   * @minimum 0
   */
  without_vector_before?: number;
  /**
   * Older vCons beyond the 20,000 that are grouped.
   * @minimum 1
   */
  not_grouped?: number;
  versions_left_out?: VersionsLeftOut;
  said_unknown?: SaidUnknown;
  hints?: Hints;
  [member: string]: unknown;
};

/** The error of vcon_topics. */
export type VconTopicsError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What vcon_topics answers. */
export type VconTopicsResponse = VconTopicsResult | VconTopicsError;

/** Parameters of vcon_trends. */
export type VconTrendsParams = {
  /**
   * Length of a period, in UTC.
   * @default "month"
   */
  period?: "day" | "week" | "month";
  /**
   * Number of periods, ending at filters.end_date or now.
   * @default 3
   * @minimum 1
   * @maximum 12
   */
  periods?: number;
  /** Conditions that all must hold, as in vcon_search. */
  filters?: SearchFilters;
};

/** The success of vcon_trends. */
export type VconTrendsResult = {
  success: true;
  /** First day of the newer span, where the older one ends. */
  from: string;
  said_unknown?: SaidUnknown;
  versions_left_out?: VersionsLeftOut;
  /** Totals of both spans: vcons, dialogs (turns), analyses, attachments, different parties. */
  measures: Array<{
    /** What is counted; may grow. */
    name: string;
    /**
     * Count in the newer span.
     * @minimum 0
     */
    now: number;
    /**
     * Count in the older span.
     * @minimum 0
     */
    before: number;
    /** now minus before. */
    change: number;
    /** change / before: 0.5 means 50 % more. Absent if before is 0. */
    growth?: number;
    [member: string]: unknown;
  }>;
  /** The ten tag keys with the largest changes. */
  tags: Array<{
    /** The tag key. */
    key: string;
    /**
     * Number of vCons with it in the newer span.
     * @minimum 0
     */
    now: number;
    /**
     * Count in the older span.
     * @minimum 0
     */
    before: number;
    /** now minus before. */
    change: number;
    /** change / before. Absent if before is 0. */
    growth?: number;
    [member: string]: unknown;
  }>;
  /**
   * Tag keys that are not listed.
   * @minimum 0
   */
  more_tags: number;
  /** Periods of both spans, oldest first, including empty ones. */
  periods: Array<{
    /** Its first day. */
    begins: string;
    /**
     * vCons, by when they began.
     * @minimum 0
     */
    vcons: number;
    /**
     * Their dialogs.
     * @minimum 0
     */
    dialogs: number;
    /**
     * Their analyses.
     * @minimum 0
     */
    analyses: number;
    /**
     * Their attachments.
     * @minimum 0
     */
    attachments: number;
    /**
     * Different parties.
     * @minimum 0
     */
    parties: number;
    [member: string]: unknown;
  }>;
  hints?: Hints;
  [member: string]: unknown;
};

/** The error of vcon_trends. */
export type VconTrendsError = {
  success: false;
  error: string;
  error_code: "VALIDATION_ERROR" | "DATABASE_ERROR" | "PERMISSION_DENIED" | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What vcon_trends answers. */
export type VconTrendsResponse = VconTrendsResult | VconTrendsError;

/** Parameters of verify_vcon. */
export type VerifyVconParams = {
  /** UUID of the vCon. */
  vcon_uuid: string;
  /**
   * Also fetch and check external content, from allowed hosts only.
   * @default false
   */
  external?: boolean;
};

/** The success of verify_vcon. */
export type VerifyVconResult = {
  success: true;
  /** The vCon's uuid. */
  vcon_uuid: string;
  signature: {
    /** broken: differs from what was signed. unverified: no trusted key or certificate made it; will not grow. */
    status: "verified" | "unverified" | "broken" | "unsigned";
    /** What it means. */
    message: string;
    /** Signatures, outermost first. */
    signatures?: Signature[];
    [member: string]: unknown;
  };
  content_hashes: {
    /** wrong if any hash is wrong. none if no element has a hash; will not grow. */
    status: "right" | "wrong" | "unchecked" | "none";
    /**
     * Number of correct hashes.
     * @minimum 0
     */
    right: number;
    /** Paths of wrong hashes. */
    wrong: string[];
    /** The first 50 hashes that were not checked. */
    unchecked: Array<{
      /** The element. */
      path: string;
      /** Why; may grow. */
      reason: "not_fetched" | "algorithm_not_known" | "no_content";
      [member: string]: unknown;
    }>;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** The error of verify_vcon. */
export type VerifyVconError = {
  success: false;
  error: string;
  error_code:
    | "VALIDATION_ERROR"
    | "NOT_FOUND"
    | "DATABASE_ERROR"
    | "PERMISSION_DENIED"
    | "RATE_LIMIT_EXCEEDED";
  details?: Record<string, unknown>;
  suggestions?: Array<string | Record<string, unknown>>;
  [member: string]: unknown;
};

/** What verify_vcon answers. */
export type VerifyVconResponse = VerifyVconResult | VerifyVconError;

/** What is read as recent_vcons. */
export type RecentVconsContent = {
  /** Number of vCons in this response. */
  count: number;
  /** Most vCons that were asked for. */
  limit: number;
  /** True when not all that were asked for fit into one answer. */
  has_more?: boolean;
  /** Newest first. */
  vcons: Vcon[];
  [member: string]: unknown;
};

/** What is read as recent_vcon_ids. */
export type RecentVconIdsContent = {
  /** Number of vCons in this response. */
  count: number;
  /** Most vCons that were asked for. */
  limit: number;
  vcons: VconIds;
  [member: string]: unknown;
};

/** What is read as vcon_ids. */
export type VconIdsContent = {
  /** vCons on this page. */
  count: number;
  /** Most vCons of one page. */
  limit: number;
  /** Whether older ones follow. */
  has_more: boolean;
  /** The cursor of the next page; null on the last. */
  next_cursor: string | null;
  vcons: VconIds;
  [member: string]: unknown;
};

/** What is read as vcon. */
export type VconContent = {
  vcon: Vcon;
  metadata: VconMetadata;
  [member: string]: unknown;
};

/** What is read as vcon_metadata. */
export type VconMetadataContent = {
  metadata: VconMetadata;
  [member: string]: unknown;
};

/** What is read as vcon_parties. */
export type VconPartiesContent = {
  /** As stored. */
  parties: Array<Record<string, unknown>>;
  [member: string]: unknown;
};

/** What is read as vcon_dialog. */
export type VconDialogContent = {
  /** As stored. */
  dialog: Array<Record<string, unknown>>;
  [member: string]: unknown;
};

/** What is read as vcon_analysis. */
export type VconAnalysisContent = {
  /** As stored. */
  analysis: Array<Record<string, unknown>>;
  [member: string]: unknown;
};

/** What is read as vcon_attachments. */
export type VconAttachmentsContent = {
  /** As stored. */
  attachments: Array<Record<string, unknown>>;
  [member: string]: unknown;
};

/** What is read as dialog_body. */
export type DialogBodyContent = {
  /** Its place in the array. */
  index: number;
  /** Offset of this part. */
  offset: number;
  /** Characters of the whole body. */
  length: number;
  /** Offset of the next part; null after the last one. */
  next_offset: number | null;
  /** What the body is, if it says. */
  mediatype?: string;
  /** How the body is written, if it says. */
  encoding?: string;
  /** At most 240,000 characters of the body; JSON text where it is no text. */
  body: string;
  [member: string]: unknown;
};

/** What is read as analysis_body. */
export type AnalysisBodyContent = {
  /** Its place in the array. */
  index: number;
  /** Offset of this part. */
  offset: number;
  /** Characters of the whole body. */
  length: number;
  /** Offset of the next part; null after the last one. */
  next_offset: number | null;
  /** What the body is, if it says. */
  mediatype?: string;
  /** How the body is written, if it says. */
  encoding?: string;
  /** At most 240,000 characters of the body; JSON text where it is no text. */
  body: string;
  [member: string]: unknown;
};

/** What is read as attachment_body. */
export type AttachmentBodyContent = {
  /** Its place in the array. */
  index: number;
  /** Offset of this part. */
  offset: number;
  /** Characters of the whole body. */
  length: number;
  /** Offset of the next part; null after the last one. */
  next_offset: number | null;
  /** What the body is, if it says. */
  mediatype?: string;
  /** How the body is written, if it says. */
  encoding?: string;
  /** At most 240,000 characters of the body; JSON text where it is no text. */
  body: string;
  [member: string]: unknown;
};

/** What is read as vcon_elements. */
export type VconElementsContent = {
  /** Which array. */
  part: string;
  /** The index of the first one. */
  first: number;
  /** How many elements the array has. */
  total: number;
  /**
   * One of more than 16,000 characters has the first 16,000 of its body, or none in base64url. It has no
   * other member of more than 1,000.
   */
  elements: Array<Record<string, unknown>>;
  [member: string]: unknown;
};

/** What is read as attachments_of_type. */
export type AttachmentsOfTypeContent = {
  /** Number of attachments. */
  count: number;
  /** The type that was asked for. */
  type: string;
  /** As stored. */
  attachments: Array<Record<string, unknown>>;
  [member: string]: unknown;
};

/** What is read as attachments_of_purpose. */
export type AttachmentsOfPurposeContent = {
  /** Number of attachments. */
  count: number;
  /** The purpose that was asked for. */
  purpose: string;
  /** As stored. */
  attachments: Array<Record<string, unknown>>;
  [member: string]: unknown;
};

/** What is read as analysis_of_type. */
export type AnalysisOfTypeContent = {
  /** Number of analyses. */
  count: number;
  /** The type that was asked for. */
  type: string;
  /** As stored. */
  analysis: Array<Record<string, unknown>>;
  [member: string]: unknown;
};

/** What is read as vcon_transcript. */
export type VconTranscriptContent = {
  /** Number of transcripts. */
  count: number;
  transcripts: AnalysisTexts;
  [member: string]: unknown;
};

/** What is read as vcon_summary. */
export type VconSummaryContent = {
  /** Number of summaries. */
  count: number;
  summaries: AnalysisTexts;
  [member: string]: unknown;
};

/** What is read as vcon_tags. */
export type VconTagsContent = {
  tags: Tags;
  [member: string]: unknown;
};

/** What is read as attachment_types. */
export type AttachmentTypesContent = {
  /** Number of types. */
  count: number;
  /** True when there are more than are listed. */
  has_more?: boolean;
  attachment_types: ValueCounts;
  [member: string]: unknown;
};

/** What is read as attachment_purposes. */
export type AttachmentPurposesContent = {
  /** Number of purposes. */
  count: number;
  /** True when there are more than are listed. */
  has_more?: boolean;
  attachment_purposes: ValueCounts;
  [member: string]: unknown;
};

/** What is read as analysis_types. */
export type AnalysisTypesContent = {
  /** Number of types. */
  count: number;
  /** True when there are more than are listed. */
  has_more?: boolean;
  analysis_types: ValueCounts;
  [member: string]: unknown;
};

/** What is read as vcon_schema. */
export type VconSchemaContent = Record<string, unknown>;

/** What is read as graph_shape. */
export type GraphShapeContent = {
  /** Features of vCons. */
  nodes: Array<{
    /** ID, such as analysis:transcript or tag:priority. */
    id: string;
    /**
     * analysis_type, tag_key, attachment_purpose, dialog_type, party_role, extension, dealer, month, day,
     * hour, party or tag_value; may grow.
     */
    type: string;
    /** Name without the type. Times in UTC: 2025-10, 2025-10-14, Tue 09. */
    label: string;
    /**
     * Exact number of vCons that have it.
     * @minimum 1
     */
    count: number;
    [member: string]: unknown;
  }>;
  /** Pairs of these nodes, each once, source before target. */
  edges: Array<{
    /** A node's id. */
    source: string;
    /** Another node's id. */
    target: string;
    /**
     * Share of the vCons with the rarer feature that also have the other.
     * @minimum 0
     * @maximum 1
     */
    strength: number;
    /**
     * Number of vCons that have both, of those that edges are counted from.
     * @minimum 1
     */
    joint_count: number;
    [member: string]: unknown;
  }>;
  /** What was counted. */
  corpus: {
    /**
     * Number of vCons.
     * @minimum 0
     */
    vcons: number;
    /**
     * vCons that edges are counted from.
     * @minimum 0
     */
    edges_from: number;
    /** Whether these are a sample. */
    sampled: boolean;
    /** When it was counted, RFC 3339. */
    computed_at: string;
    /**
     * Number of vCons that query and filters match, up to 10,000. Absent without them.
     * @minimum 0
     */
    counted?: number;
    versions_left_out?: VersionsLeftOut;
    said_unknown?: SaidUnknown;
    first?: CorpusEnd;
    last?: CorpusEnd;
    [member: string]: unknown;
  };
  /** Numbers left out because of max_nodes and max_edges. */
  truncated: {
    /**
     * Nodes left out.
     * @minimum 0
     */
    nodes: number;
    /**
     * Edges between the listed nodes left out.
     * @minimum 0
     */
    edges: number;
    [member: string]: unknown;
  };
  [member: string]: unknown;
};

/** What is read as served_contract. */
export type ServedContractContent = {
  /** Name, version and digest of the contract; the digest changes when anything a client sees changes. */
  contract: {
    /** The server's name. */
    name: string;
    /** Semantic version of the contract. */
    version: string;
    /** SHA-256 of the served tools, resources and prompts. */
    digest: string;
    [member: string]: unknown;
  };
  /** The include groups. */
  supported_includes: string[];
  /** The groups that each tool returns by default. */
  default_includes: Record<string, unknown>;
  /** The modes of vcon_search. */
  search_modes: Array<{
    /** The value of mode. */
    mode: string;
    /** Required parameters. */
    requires: string[];
    /** Parameters of which exactly one is required. */
    one_of?: string[];
    /** Optional parameters. */
    accepts: string[];
    /** Parameters that this mode rejects. */
    rejects: string[];
    /** Whether items have a score. */
    ranked: boolean;
    /** Whether page.total is given. */
    total: boolean;
    /** Defaults of this mode. */
    defaults?: Record<string, unknown>;
    [member: string]: unknown;
  }>;
  /** How to follow pages. */
  pagination_semantics: Record<string, unknown>;
  /** The parameter, its default and bounds, and the error. */
  byte_budgets: Record<string, unknown>;
  /**
   * Number of renamed members. migration_hints: true lists them.
   * @minimum 0
   */
  migration_hints_total?: number;
  /** Legacy names with their replacements. Empty unless requested. */
  migration_hints: Array<Record<string, unknown>>;
  /** Toolsets, and the tools that this caller may use. */
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
  /** State of search by meaning, up to 10 seconds old. */
  embedding: {
    /** Whether a query can be searched by meaning. */
    available: boolean;
    /** The model whose vectors are searched, if any. */
    model?: string;
    /** Dimensions of a vector. */
    dimensions?: number;
    /** Number of passages to embed. */
    passages: number;
    /** Number of embedded passages. */
    embedded: number;
    /**
     * embedded / passages, 1 when there are none.
     * @minimum 0
     * @maximum 1
     */
    coverage: number;
    /** During a change of the model: passages that the new one still has to embed. Otherwise 0. */
    stale: number;
    [member: string]: unknown;
  };
  /** The filters of vcon_search: name, type, meaning. */
  filters: Array<Record<string, unknown>>;
  /** Limits of queries and values. */
  limits: Record<string, unknown>;
  /** Allowed calls of each class. */
  rate_limits: Record<string, unknown>;
  /** vCon versions, the latest, and supported extensions. */
  vcon: Record<string, unknown>;
  /** What this caller may do. */
  access: Record<string, unknown>;
  [member: string]: unknown;
};

/** What is read as meaning_map. */
export type MeaningMapContent = {
  /** ready; making while it is being made, ask again; none where nothing has a vector; may grow. */
  state: string;
  /**
   * Number of vCons.
   * @minimum 0
   */
  vcons: number;
  /** When it was made, RFC 3339. */
  computed_at?: string;
  /**
   * Share of the variance between the vectors that the plane shows.
   * @minimum 0
   * @maximum 1
   */
  explained?: number;
  /** At most 1,000 vCons, a sample that stays the same. */
  points: Array<{
    /** ID of the vCon. */
    id: string;
    /**
     * From the left.
     * @minimum 0
     * @maximum 1
     */
    x: number;
    /**
     * From the bottom.
     * @minimum 0
     * @maximum 1
     */
    y: number;
    /** What it is about, if it says. */
    subject?: string;
    /** Its value of the tag, if it has one. */
    value?: string;
    [member: string]: unknown;
  }>;
  [member: string]: unknown;
};

/** What is read as imports. */
export type ImportsContent = {
  /** Stored vCons and bytes of the caller's tenant, as counted for quotas. */
  stored: {
    /** How many vCons. */
    vcons: number;
    /** Bytes of vCons, records and transcripts, without indexes. */
    bytes: number;
    [member: string]: unknown;
  };
  /** Imports in this answer. */
  count: number;
  /** At most 50. */
  imports: Array<{
    /** When it ended, RFC 3339. */
    at: string;
    /** Counts, the rules that refused, and the first files that were refused. */
    report: Record<string, unknown>;
    [member: string]: unknown;
  }>;
  [member: string]: unknown;
};

/** Analysis. A result computed from the conversation. */
export type VconAnalysis = {
  /** Preferably report, sentiment, summary, transcript, translation or tts. */
  type: string;
  /** Who or what made it. */
  vendor: string;
  /** The dialog it was computed from. */
  dialog?: VconIndices;
  /** The attachments it was computed from. */
  attachment?: VconIndices;
  /** Product or model that made it. */
  product?: string;
  /** Tells formats of one vendor apart. */
  schema?: string;
  /** Media type of the content. */
  mediatype?: VconMediatype;
  /** Name of the file that the content was. */
  filename?: string;
  /** The content itself: a string, or any JSON value when encoding is json. */
  body?: unknown;
  /** How body holds the content. */
  encoding?: VconEncoding;
  /** Where the content is, when it is not in body. */
  url?: VconHttpsUrl;
  /** Hash of the bytes at url. */
  content_hash?: VconHashes;
  [member: string]: unknown;
};

/** Attachment. A document that belongs to the conversation. */
export type VconAttachment = {
  /** What it is for, free text; older files call it type. */
  purpose?: string;
  /** The older name of purpose. */
  type?: string;
  /** When it was sent. */
  start: VconDate;
  /** The party that brought it in. */
  party: VconUInt;
  /** The dialog it belongs to. */
  dialog: VconUInt;
  /** Media type of the content. */
  mediatype?: VconMediatype;
  /** Name of the file that the content was. */
  filename?: string;
  /** The content itself: a string, or any JSON value when encoding is json. */
  body?: unknown;
  /** How body holds the content. */
  encoding?: VconEncoding;
  /** Where the content is, when it is not in body. */
  url?: VconHttpsUrl;
  /** Hash of the bytes at url. */
  content_hash?: VconHashes;
  [member: string]: unknown;
};

/** Civic address. Parts of an address, all optional. */
export type VconCivicAddress = {
  country?: string;
  a1?: string;
  a2?: string;
  a3?: string;
  a4?: string;
  a5?: string;
  a6?: string;
  prd?: string;
  pod?: string;
  sts?: string;
  hno?: string;
  hns?: string;
  lmk?: string;
  loc?: string;
  flr?: string;
  nam?: string;
  pc?: string;
  [member: string]: unknown;
};

/**
 * Content hash such as sha512-<86 characters of base64url>. Algorithm in lower case without a hyphen, a
 * hyphen, and the digest in base64url without padding.
 * @pattern ^(?:sha512-[A-Za-z0-9_-]{86}|(?!sha512-)[a-z0-9_]+-[A-Za-z0-9_-]+)$
 */
export type VconContentHash = string;

/**
 * RFC 3339 date and time with an offset. For example 2025-10-14T10:30:00Z or 2025-10-14T12:30:00+02:00.
 * @format date-time
 */
export type VconDate = string;

/** Dialog. One part of the conversation: a recording, a message, or an attempt that came to nothing. */
export type VconDialog = {
  /** What kind of dialog this is. */
  type: string;
  /** When it began; for a message, when it was sent. */
  start?: VconDate;
  /** Length in seconds. */
  duration?: VconUNum;
  /** Who took part: indices into the vCon's parties. */
  parties?: VconDialogParties;
  /** The party that began it, when that is not the first of parties. */
  originator?: VconUInt;
  /** The recordings of this set. */
  recordings?: VconUInt[];
  /** The recording-set dialog that this recording is part of. */
  recording_set?: VconUInt;
  /** Media type of the content. */
  mediatype?: VconMediatype;
  /** Name of the file that the content was. */
  filename?: string;
  /** The content itself: a string, or any JSON value when encoding is json. */
  body?: unknown;
  /** How body holds the content. */
  encoding?: VconEncoding;
  /** Where the content is, when it is not in body. */
  url?: VconHttpsUrl;
  /** Hash of the bytes at url. */
  content_hash?: VconHashes;
  /** Why there is no conversation; failed when unknown. */
  disposition?: "no-answer" | "congestion" | "failed" | "busy" | "hung-up" | "voicemail-no-message";
  /** Session identifiers of the call's ends. */
  session_id?: VconSessionIds;
  party_history?: never;
  transferee?: never;
  transferor?: never;
  transfer_target?: never;
  original?: never;
  target_dialog?: never;
  consultation?: never;
  /** Service or platform it took place on. */
  application?: string;
  /** Identifier of the message. */
  message_id?: string;
  [member: string]: unknown;
};

/**
 * Party index, array of them, or one entry a channel. One index; an array of indices, mixed on one channel;
 * or one entry a channel, each an index, an array of indices or null for a silent one.
 * @minimum 0
 */
export type VconDialogParties = number | Array<number | VconUInt[] | null>;

/** Encoded body. With none and base64url the body is a string; with json any JSON value. */
export type VconEncodedBody = unknown;

/** Encoded content. A body that is not empty needs an encoding. */
export type VconEncodedContent = unknown;

/** Encoding. none: the string is the content; base64url: its bytes, no padding; json: JSON. */
export type VconEncoding = "none" | "base64url" | "json";

/**
 * One content hash or an array of them
 * @pattern ^(?:sha512-[A-Za-z0-9_-]{86}|(?!sha512-)[a-z0-9_]+-[A-Za-z0-9_-]+)$
 * @minItems 1
 */
export type VconHashes = string | VconContentHash[];

/**
 * HTTPS address
 * @pattern ^[Hh][Tt][Tt][Pp][Ss]://[^\s/?#]+[^\s]*$
 */
export type VconHttpsUrl = string;

/** Incomplete dialog. An attempt without a conversation. */
export type VconIncompleteRules = string | number | boolean | null | unknown[] | {
  recordings?: never;
  recording_set?: never;
  mediatype?: never;
  filename?: never;
  body?: never;
  encoding?: never;
  url?: never;
  content_hash?: never;
  message_id?: never;
  disposition: unknown;
  [member: string]: unknown;
};

/**
 * One index or an array of them
 * @minimum 0
 */
export type VconIndices = number | VconUInt[];

/** Inline content. A body that is not empty needs a mediatype and an encoding. */
export type VconInlineContent = unknown;

/** MCP session dialog. A session of the extension mcp_session. */
export type VconMcpSessionRules = unknown;

/**
 * Media type such as text/plain. type/subtype; parameters may follow after a semicolon.
 * @pattern ^[A-Za-z0-9!#$%&'*+.^_`|~-]+/[A-Za-z0-9!#$%&'*+.^_`|~-]+(?:[ \t]*;.*)?$
 */
export type VconMediatype = string;

/** Party. One who took part, observed or contributed; named elsewhere by its position. {} is a placeholder. */
export type VconParty = {
  /** Telephone number, preferably a tel: URL. */
  tel?: string;
  /** SIP address. */
  sip?: string;
  /** PASSporT as a compact JWS. */
  stir?: string;
  /** E-mail address, with or without mailto:. */
  mailto?: string;
  /** Name as free text; anonymous alone for a party that stays unknown. */
  name?: string;
  /**
   * Decentralized identifier.
   * @pattern ^did:[a-z0-9]+:\S+$
   */
  did?: string;
  /** How the identity was checked: none, or the name of a method. */
  validation?: string;
  /** Latitude and longitude in the form of a GML pos. */
  gmlpos?: string;
  /** Civic address of the party. */
  civicaddress?: VconCivicAddress;
  /** The operator's own stable id of the participant; free text. */
  uuid?: string;
  /** Preferably person, bot or organization. */
  type?: string;
  /** Organization, free text. */
  org?: string;
  /** Department, free text. */
  dept?: string;
  [member: string]: unknown;
};

/** Recording dialog. Audio or video; all in one file. */
export type VconRecordingRules = string | number | boolean | null | unknown[] | {
  recordings?: never;
  [member: string]: unknown;
};

/** Recording-set dialog. Several recordings of one call. */
export type VconRecordingSetRules = string | number | boolean | null | unknown[] | {
  recording_set?: never;
  mediatype?: never;
  filename?: never;
  body?: never;
  encoding?: never;
  url?: never;
  content_hash?: never;
  message_id?: never;
  recordings: unknown;
  [member: string]: unknown;
};

/** Content at an address. A url needs the hash of what is there. */
export type VconRemoteContent = unknown;

/** Session identifier. {} is a placeholder. */
export type VconSessionId = {
  /** UUID of the near end; the nil UUID when it has none. */
  local?: string;
  /** UUID of the far end; the nil UUID when it has none. */
  remote?: string;
  [member: string]: unknown;
};

/** One session identifier, or an array shaped like parties */
export type VconSessionIds =
  | {
      /** UUID of the near end; the nil UUID when it has none. */
      local?: string;
      /** UUID of the far end; the nil UUID when it has none. */
      remote?: string;
      [member: string]: unknown;
    }
  | Array<{
      /** UUID of the near end; the nil UUID when it has none. */
      local?: string;
      /** UUID of the far end; the nil UUID when it has none. */
      remote?: string;
      [member: string]: unknown;
    } | VconSessionId[] | null>;

/** Text dialog. A message. */
export type VconTextRules = string | number | boolean | null | unknown[] | {
  recordings?: never;
  recording_set?: never;
  [member: string]: unknown;
};

/**
 * Whole number from 0 up
 * @minimum 0
 */
export type VconUInt = number;

/**
 * Number from 0 up
 * @minimum 0
 */
export type VconUNum = number;

/** Analyses with their text. */
export type AnalysisTexts = Array<{
  /** Index in analysis. */
  analysis_index: number;
  /** The kind of analysis. */
  type?: string;
  /** Who made it. */
  vendor?: string;
  /** Product that made it. */
  product?: string;
  /** The form of the body. */
  schema?: string;
  dialog?: Indices;
  /** Text of the body, in any encoding. */
  text: string;
  [member: string]: unknown;
}>;

/** Text, or any JSON value for json. */
export type Body = string | number | boolean | null | Record<string, unknown> | Array<
  | string
  | number
  | boolean
  | null
  | Record<string, unknown>
  | Array<string | number | boolean | null | Record<string, unknown>>>;

/** The records sent to the model. */
export type BridgeBatch = {
  /** Records sent to the model. */
  ids: string[];
  /** Records omitted because of the size limit. */
  leftOut: string[];
  [member: string]: unknown;
};

/**
 * What was sensed, felt and noticed, in the present tense.
 * @minLength 1
 * @maxLength 100000
 */
export type BridgeContent = string;

/** A moment or scene made by a model. It has id and created once it is saved. */
export type BridgeDraft = {
  /** Its id; absent in a preview. */
  id?: string;
  /** Its kind; will not grow. */
  type: "moment" | "scene";
  /** Its emoji. */
  emoji: string;
  /** Its summary. */
  summary: string;
  /** A moment's qualities, in order. */
  qualities?: BridgeQualityFound[];
  shot: BridgeShot;
  /** The sources of a moment, in order. */
  sources?: BridgeFramed[];
  /** A scene's moments, in order. */
  momentIds?: string[];
  /** A scene's scenes, in order. */
  sceneIds?: string[];
  /** When it was saved, RFC 3339 in UTC; absent in a preview. */
  created?: string;
  /** The experiencer of its first member. */
  experiencer: string;
  /** Its narrative. */
  narrative?: string;
  /** The event time of its sources, once it is saved. */
  when?: string;
  whenResolved?: BridgeInterval;
  /** False until a person confirms it. */
  reviewed: boolean;
  /** True. */
  autoGenerated: boolean;
  [member: string]: unknown;
};

/**
 * A single emoji.
 * @minLength 1
 * @maxLength 64
 */
export type BridgeEmoji = string;

/**
 * Who lived it.
 * @minLength 1
 * @maxLength 120
 */
export type BridgeExperiencer = string;

/** A source as a moment frames it. */
export type BridgeFramed = {
  /** The source. */
  sourceId: string;
  /**
   * Start of the excerpt in code points. Absent for the whole source.
   * @minimum 0
   */
  start?: number;
  /**
   * End of the excerpt, exclusive.
   * @minimum 0
   */
  end?: number;
  /** True if the source no longer contains the excerpt. */
  stale?: boolean;
  [member: string]: unknown;
};

/**
 * Ids of records.
 * @minItems 1
 * @maxItems 50
 */
export type BridgeIds = string[];

/** The event time as a half-open interval in UTC. */
export type BridgeInterval = {
  /** Start, RFC 3339. */
  start: string;
  /** End, exclusive. */
  end: string;
  /** Time zone used to resolve it. */
  zone: string;
  /** Precision as written; may grow. */
  precision:
    | "second"
    | "minute"
    | "part of day"
    | "day"
    | "week"
    | "month"
    | "quarter"
    | "year"
    | "range";
  [member: string]: unknown;
};

/**
 * The whole story.
 * @minLength 1
 * @maxLength 40000
 */
export type BridgeNarrative = string;

/** Warnings, each with a stable code. */
export type BridgeNotices = Array<{
  /** Stable code; may grow. */
  code: string;
  /** What it means. */
  message: string;
  [member: string]: unknown;
}>;

/** Perspective used; will not grow. */
export type BridgePerspective = "I" | "we" | "you" | "they";

/** When captured relative to the experience; will not grow. */
export type BridgeProcessing = "during" | "right-after" | "long-after" | "crafted";

/** A quality of the experience. */
export type BridgeQuality = {
  /** Which quality; will not grow. */
  type: BridgeQualityType;
  /**
   * How it shows up.
   * @minLength 1
   * @maxLength 1000
   */
  manifestation: string;
};

/** A quality of the experience. */
export type BridgeQualityFound = {
  type: BridgeQualityType;
  /** How it shows up. */
  manifestation: string;
  [member: string]: unknown;
};

/**
 * Which quality is present; will not grow. embodied: what the body senses, holds or does. attentional: what
 * is noticed, and how attention rests or shifts. emotional: the feeling or mood, and how it colours the rest.
 * purposive: what is wanted, tried or decided. spatial: place, distance, nearness, and the sense of where one
 * is. temporal: pace, waiting, rhythm, and the sense of before and after. relational: others, and how one
 * stands with them.
 */
export type BridgeQualityType =
  | "embodied"
  | "attentional"
  | "emotional"
  | "purposive"
  | "spatial"
  | "temporal"
  | "relational";

/** A source, moment or scene. Members without a value are absent. */
export type BridgeRecord = {
  /** src_…, mom_… or sce_… */
  id: string;
  /** Its kind; will not grow. */
  type: "source" | "moment" | "scene";
  /** A source's text. */
  content?: string;
  /** A source's type of content. */
  contentType?: string;
  /** Who experienced it. */
  experiencer?: string;
  perspective?: BridgePerspective;
  processing?: BridgeProcessing;
  /** The event time as written. A moment without one has that of its sources. */
  when?: string;
  /** Sources that a source reflects on. */
  reflects_on?: string[];
  /** The file that a source came from. */
  file?: string;
  /** The emoji of a moment or scene. */
  emoji?: string;
  /** Its summary. */
  summary?: string;
  /** Its narrative. */
  narrative?: string;
  /** A moment's qualities, in order. */
  qualities?: BridgeQualityFound[];
  shot?: BridgeShot;
  /** The sources of a moment, in order. */
  sources?: BridgeFramed[];
  /** A scene's moments, in order. */
  momentIds?: string[];
  /** A scene's scenes, in order. */
  sceneIds?: string[];
  /** When it was captured, RFC 3339 in UTC. */
  created: string;
  whenResolved?: BridgeInterval;
  /** When enrich last changed it. */
  modified?: string;
  /** Whether a person has confirmed a moment or scene. */
  reviewed?: boolean;
  /** Whether a model made it. */
  autoGenerated?: boolean;
  /** The record that replaces it. */
  reframedBy?: string;
  [member: string]: unknown;
};

/** A record. */
export type BridgeRecordRef = {
  /** Its id. */
  id: string;
  /** Its kind; will not grow. */
  type: "source" | "moment" | "scene";
  [member: string]: unknown;
};

/** A matching record. With includeContext the whole record. */
export type BridgeSearchHit = {
  /** Its kind; will not grow. */
  type: "source" | "moment" | "scene";
  /** Its id. */
  id: string;
  /** Beginning of its content, or emoji and summary. */
  snippet: string;
  /**
   * How well it matches the query. Absent without a query.
   * @minimum 0
   * @maximum 1
   */
  relevance?: number;
  /** strong, fair or weak. If all results are weak, at most ten are returned; may grow. */
  strength?: string;
  /** Only for moments and scenes. */
  emoji?: string;
  /** Only for moments and scenes. */
  summary?: string;
  /** Distinct types of a moment's qualities. */
  qualities?: string[];
  /** Only for moments and scenes. */
  shot?: string;
  /** Only for sources. */
  perspective?: string;
  /** Only for sources. */
  processing?: string;
  /** How many moments a scene has. */
  moments?: number;
  /** How many scenes a scene has. */
  scenes?: number;
  source?: BridgeRecord;
  moment?: BridgeRecord;
  scene?: BridgeRecord;
  [member: string]: unknown;
};

/**
 * How attention moved; will not grow. moment-of-recognition: something becomes clear all at once.
 * sustained-attention: attention stays with one thing. crossing-threshold: one state ends and another begins.
 * peripheral-awareness: something is felt at the edge, not looked at. directed-momentum: everything moves
 * towards an aim. holding-opposites: two things that contradict each other are both true.
 */
export type BridgeShot =
  | "moment-of-recognition"
  | "sustained-attention"
  | "crossing-threshold"
  | "peripheral-awareness"
  | "directed-momentum"
  | "holding-opposites";

/**
 * Summary in 5 to 7 words.
 * @minLength 1
 * @maxLength 200
 */
export type BridgeSummary = string;

/**
 * ISO or words like 'last night'.
 * @maxLength 200
 */
export type BridgeWhen = string;

/** Captured: ISO or 'last week'. */
export type BridgeWindow = string | {
  /** From. */
  start: string;
  /** To, inclusive. */
  end: string;
};

/** Key for get_more_results or get_cached_chunk. */
export type CacheKey = string;

/** One check. */
export type CheckResult = {
  /** Whether it passed. */
  ok: boolean;
  /** Summary of the result. */
  detail: string;
  /** Duration in milliseconds. */
  ms: number;
  [member: string]: unknown;
};

/**
 * Arrays to return. Default: parties.
 * @minItems 0
 */
export type Components = Array<"parties" | "dialog" | "analysis" | "attachments" | "all">;

/** Whether the stored vCon conforms to the schema of its version. */
export type Conformance = {
  /** The schema version checked against. */
  version: string;
  /** Whether there are no violations. */
  valid: boolean;
  violations: Violations;
  /** Number of violations, including those beyond the 50 listed. */
  violation_count: number;
  /** Names in critical that this server does not support. */
  unsupported_critical?: string[];
  [member: string]: unknown;
};

/** Hash of the content at url, as sha512-<base64url>. */
export type ContentHash = string | string[];

/** The conversation that began first or last. Absent if nothing is stored. */
export type CorpusEnd = {
  /** ID of the vCon. */
  id: string;
  /** When it was made, RFC 3339 in UTC. */
  created_at: string;
  /** When it began. Absent if equal to created_at. */
  began_at?: string;
  [member: string]: unknown;
};

/** Corrected words that no vCon contains. */
export type Corrections = Array<{
  /** The word of the query. */
  word: string;
  /** The word searched instead. */
  used: string;
  /** How close they are. */
  similarity: number;
  [member: string]: unknown;
}>;

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

/** Result of updating dependencies. */
export type DependencySync = {
  /** disabled, not_applicable, ok, failed or timeout; may grow. */
  status: string;
  /** The package manager. */
  manager: string | null;
  /** The command that ran. */
  command: string | null;
  /** How long it took. */
  duration_ms: number;
  /** The reason, or the end of the command's output. */
  message: string;
  [member: string]: unknown;
};

/** Progress of embedding. Pending passages are found by words only. */
export type EmbeddingIndex = {
  /** The model whose vectors were searched. */
  model: string;
  /** Passages with a vector. */
  embedded: number;
  /** Passages without a vector. */
  pending: number;
  [member: string]: unknown;
};

/** Encoding of body. */
export type Encoding = "none" | "base64url" | "json";

/** A turn of a transcript. */
export type FetchedTurn = {
  /** Number of the turn, from 0, as in hits of vcon_search. */
  turn: number;
  /** Speaker, if known. */
  speaker?: string;
  /** When it was said, RFC 3339 in UTC, if known. */
  at?: string;
  /** Index of its dialog. */
  dialog?: number;
  /** Index of the analysis that its words come from, if any. */
  analysis?: number;
  /** The whole text. */
  text: string;
  /** Type of a turn without words, such as recording. */
  instead?: string;
  [member: string]: unknown;
};

/** A file of an exchange. */
export type FoundFile = {
  /** Its path. */
  path: string;
  /** add, edit, delete, rename or read; may grow. */
  operation: string;
  [member: string]: unknown;
};

/** A vCon with its top-level members and parties, or the requested components. */
export type FoundVcon = {
  /** UUID of the vCon. */
  uuid: string;
  /** Subject of the conversation. */
  subject?: string | null;
  /** Who took part. */
  parties?: Array<VconParty | Record<string, unknown>> | null;
  [member: string]: unknown;
};

/** A git work tree. */
export type GitState = {
  /** Null when HEAD is detached. */
  branch: string | null;
  /** The last commit. */
  commit: string | null;
  /** clean, changed, merge, rebase, cherry_pick, revert, bisect, detached or no_commit; may grow. */
  state: string;
  /** Number of changed tracked files. */
  changed_files: number;
  /** Number of untracked files. */
  untracked_files: number;
  /** Folder of the work tree. */
  worktree: string;
  [member: string]: unknown;
};

/** One check. */
export type HealthCheck = {
  /** Its name. */
  name: string;
  /** Maximum points. */
  weight: number;
  /** Points reached. */
  points: number;
  /** Summary of the result. */
  detail: string;
  [member: string]: unknown;
};

/** Why nothing matched well, and similar values. */
export type Hints = Array<{
  /**
   * Nothing matches: nothing_stored, nothing_tagged, past_the_end, no_vcons_of_that_time (nearest has the
   * first and the last), unknown_tag_key, value_not_seen, dealer_not_seen, words_not_seen,
   * words_never_together, demands_never_together, not_by_speaker, below_threshold or vectors_pending. Weak
   * matches only, at most five: only_weak_matches. The query is a UUID: query_is_a_vcon. How a word of the
   * query was read: date_in_query, field_in_query, part_of_a_number, no_wildcard, no_operator or
   * words_joined; may grow.
   */
  reason: string;
  /** The reason in a sentence. */
  message: string;
  /** The filter that it is about. */
  filter?: string;
  /** Similar known values. */
  nearest?: Array<Record<string, unknown>>;
  /** Arguments to send instead, or another tool with its arguments. */
  suggestion?: Record<string, unknown>;
  [member: string]: unknown;
}>;

/** Groups of members to return. core is always returned. */
export type IncludeGroups = Array<
  | "core"
  | "parties"
  | "summary"
  | "transcript"
  | "tags"
  | "dealer"
  | "counts"
  | "events"
  | "dialog"
  | "analysis"
  | "attachments">;

/** One index or several. */
export type Indices = number | number[];

/**
 * Kinds of records to search. Default: all.
 * @minItems 1
 */
export type KindsFilter = Array<"exchange" | "dialog" | "reflection">;

/** A reflection of the project. */
export type LearnedReflection = {
  /** Its id. */
  reflection_id: string;
  /** The text, cut after 300 characters with … and the ID. */
  text: string;
  /** Its tags. */
  tags: string[];
  /** When it was first stored. */
  stored_at: string;
  [member: string]: unknown;
};

/** An active session that no client uses any more. */
export type LeftoverSession = {
  /** Its id. */
  session_id: string;
  /** Its project's name, or empty. */
  project: string;
  /** The folder it works in. */
  working_directory: string | null;
  /** When it began. */
  started_at: string;
  /** When it was last used. */
  last_seen_at: string;
  /** Minutes since then. */
  silent_minutes: number;
  /** The call that resumes it. null without a folder. */
  go_on: NextCall | null;
  close: NextCall;
  [member: string]: unknown;
};

/**
 * Active sessions of this caller that no client uses any more, in any project. Absent if the store is
 * unavailable.
 */
export type LeftoverSessions = LeftoverSession[];

/** The requested measures. Of unknown values nothing is assumed. */
export type Measures = Array<{
  /** As requested. */
  name: string;
  /**
   * Number of vCons for which it is known. share: including those that do not meet said or not_said.
   * @minimum 0
   */
  known: number;
  /**
   * Number of those without times, numbers or words for it.
   * @minimum 0
   */
  unknown: number;
  /** Sum of the known values. share, repeats: number of vCons. */
  total?: number;
  /** Their mean. share, repeats: total / known. */
  mean?: number;
  /** Their median. */
  median?: number;
  /** talk_share: of all talk of these vCons. */
  share?: number;
  [member: string]: unknown;
}>;

/** One exchange, dialog or reflection. */
export type MemoryResult = {
  /** Up to 2,000 characters around the match, with … where it is cut. */
  content: string;
  /** The project's name, or empty. */
  project: string;
  /** Date and time. */
  timestamp: string;
  /**
   * How well it matches, rounded down.
   * @minimum 0
   * @maximum 1
   */
  similarity_score: number;
  /** The text before and after, or a reflection's project and date. */
  context: string;
  /** conversation or reflection; may grow. */
  source: string;
  /** exchange (with an agent), dialog (of a call, chat or mail) or reflection; may grow. */
  kind?: string;
  /** The vCon's uuid or the reflection's id. */
  id: string;
  /** semantic, text, both or path; may grow. */
  matched_by: string;
  /** Path of the transcript, for memory_read. */
  path?: string;
  /** First line. */
  line_start?: number;
  /** Last line. */
  line_end?: number;
  /** A reflection's tags. */
  tags?: string[];
  /** Strength of the match compared with chance: strong, fair or weak; may grow. */
  strength?: string;
  /** Further matches in the same conversation, later in the list. */
  more_in_conversation?: number;
  /** Files of that exchange, edited first. */
  files?: FoundFile[];
  /** The paths that matched. */
  matches?: Array<{
    /** The stored path. */
    path: string;
    /** add, edit, delete, rename, read or mention; may grow. */
    operation: string;
    /** exact, suffix, folder or text; may grow. */
    match: string;
    /** The first line of its exchange. */
    line?: number;
    [member: string]: unknown;
  }>;
  [member: string]: unknown;
};

/** A call to make next. */
export type NextCall = {
  /** Name of the tool as served. */
  tool: string;
  /** Arguments of the call. */
  arguments: Record<string, unknown>;
  [member: string]: unknown;
};

/** A session that has ended. */
export type PreviousSession = {
  /** Its id. */
  session_id: string;
  /** When it ended. */
  ended_at: string;
  /** ended or abandoned; may grow. */
  state: string;
  /** Its last score. */
  final_quality_score: number | null;
  /** The git branch. */
  branch: string | null;
  /** Open items. */
  open_items: string[];
  /** Stored reflections, cut after 300 characters with … and the ID. */
  learning: string[];
  /** The handoff file. */
  handoff_file_path: string | null;
  /** Short hash and subject of each commit, newest first. */
  commits?: string[];
  /** Up to 50 files that changed during the session. */
  files_changed?: string[];
  [member: string]: unknown;
};

/** The project around the working directory. */
export type ProjectContext = {
  /** Name of the root folder. Empty without a workspace. */
  name: string;
  /** python, node, rust, go, java, ruby, php, dotnet, mixed or unknown, by manifests; may grow. */
  type: string;
  /**
   * Percentage of points in the checks that apply.
   * @minimum 0
   * @maximum 100
   */
  health_score: number;
  /** The project's root folder. */
  root: string | null;
  /** The folder the session works in. */
  working_directory: string | null;
  structure_analysis: StructureAnalysis;
  [member: string]: unknown;
};

/** Project name or root folder. Default: all projects. */
export type ProjectFilter = string | null;

/** Scores of 0 to 100. */
export type QualityScore = {
  /**
   * Weighted average of the parts that apply: 0.6, 0.2, 0.2, and 0.2 of session if present.
   * @minimum 0
   * @maximum 100
   */
  overall: number;
  /**
   * The health score.
   * @minimum 0
   * @maximum 100
   */
  project_health: number;
  /**
   * Read and write permissions.
   * @minimum 0
   * @maximum 100
   */
  permissions: number;
  /**
   * Package manager, git and language runtime.
   * @minimum 0
   * @maximum 100
   */
  tools_available: number;
  /** Parts that do not apply, shown as 0. */
  not_applicable?: string[];
  /**
   * Present only during problems of the session: 50 for one, 0 for several.
   * @minimum 0
   * @maximum 100
   */
  session?: number;
  [member: string]: unknown;
};

/**
 * What would raise the scores, most effective first.
 * @maxItems 5
 */
export type Recommendations = string[];

/** Phrases said. */
export type Said = {
  /**
   * Phrases, one of them said. In "quotes": not in other forms.
   * @minItems 1
   * @maxItems 20
   */
  any?: string[];
  /**
   * Phrases, each said.
   * @minItems 1
   * @maxItems 20
   */
  all?: string[];
  /** Who said it. */
  by?: {
    /** Role, such as agent. */
    role?: string;
    /** Words of a name. */
    name?: string;
  };
  /** When in the conversation. */
  within?: {
    /**
     * Turns that begin before.
     * @minimum 0
     */
    first_seconds?: number;
    /**
     * Turns that end then.
     * @minimum 0
     */
    last_seconds?: number;
  };
};

/**
 * Number of vCons that match the other filters, but whose words, times or roles are too little known for said
 * or not_said. They are not counted.
 * @minimum 1
 */
export type SaidUnknown = number;

/** All must hold. Tags and dealer_id match exactly, other text in part. Dates: YYYY-MM-DD. */
export type SearchFilters = {
  /** Part of the subject. */
  subject?: string;
  /** Whole words of a name; Andr* is a beginning. */
  party_name?: string;
  /** Part of an address. */
  party_email?: string;
  /** 3 or more digits. */
  party_tel?: string;
  /** Role of that party. */
  party_role?: string;
  /** Exact type of an analysis. */
  analysis_type?: string;
  /** Its vendor. */
  analysis_vendor?: string;
  /** Purpose or type. */
  attachment_type?: string;
  /** Kinds of events. */
  events?: {
    /** Kinds; transfer: blind or consultative. */
    any: Array<
      | "join"
      | "drop"
      | "hold"
      | "unhold"
      | "mute"
      | "unmute"
      | "keydown"
      | "keyup"
      | "consultation-start"
      | "blind-transfer"
      | "consultative-transfer"
      | "transfer-abandoned"
      | "transfer">;
    /** Happened on or after: YYYY-MM-DD or RFC 3339. */
    start_date?: string;
    /** Happened up to this date. */
    end_date?: string;
  };
  said?: Said;
  /** Known unsaid. */
  not_said?: Said;
  /**
   * Again within N days.
   * @minimum 1
   * @maximum 366
   */
  repeat_within_days?: number;
  /** UUID: only its versions. */
  version_of?: string;
  /** latest: omit amended and redacted ones. Default: all in vcon_search and with version_of. */
  versions?: "latest" | "all";
  /** Began on or after: YYYY-MM-DD or RFC 3339. */
  start_date?: string;
  /** Began up to this day. */
  end_date?: string;
  /** Exact id. */
  dealer_id?: string;
  /** Part of a name. */
  dealer_name?: string;
  /** Exact pairs. */
  tags?: TagFilter;
};

/**
 * Groups of members to return. core is always returned, unless hits is named.
 * @minItems 0
 */
export type SearchIncludeGroups = Array<
  | "core"
  | "parties"
  | "summary"
  | "transcript"
  | "tags"
  | "dealer"
  | "counts"
  | "events"
  | "dialog"
  | "analysis"
  | "attachments"
  | "hits">;

/** metadata: filters only, newest first. semantic: by meaning. hybrid: words and meaning. */
export type SearchMode = "metadata" | "keyword" | "semantic" | "hybrid";

/** What was searched. */
export type SearchScope = {
  /** Names or roots of the projects. Empty means all. */
  projects: string[];
  /** Roots of related projects that were searched too. */
  related: string[];
  /** Kinds of memory. */
  sources: string[];
  /** Whether the project is unknown. */
  unknown_project?: boolean;
  [member: string]: unknown;
};

/** semantic, text_fallback or path; may grow. */
export type SearchStrategy = string;

/** What to send instead, and other search terms. */
export type SearchSuggestions = string[];

/**
 * session_id from init. Required if several sessions are active.
 * @maxLength 64
 */
export type SessionId = string;

export type Signature = {
  /** Result of checking this signature; will not grow. */
  status: "verified" | "unverified" | "broken";
  /** Why; may grow. */
  reason:
    | "trusted_certificate"
    | "trusted_key"
    | "algorithm_not_allowed"
    | "certificate_not_trusted"
    | "certificate_unreadable"
    | "certificate_elsewhere"
    | "no_trusted_key_fits"
    | "signature_wrong"
    | "signature_malformed"
    | "too_many_signatures";
  /** RS256 or ES256. */
  algorithm?: string;
  /** Subject of its certificate, even if it is not trusted. */
  signer?: string;
  /** Details of the reason. */
  detail?: string;
  [member: string]: unknown;
};

/** State of the project. */
export type StructureAnalysis = {
  /** The checks that apply. */
  checks: HealthCheck[];
  /** Languages found. */
  languages: string[];
  /** Manifest files. */
  manifests: string[];
  /** Package managers. */
  managers: string[];
  /** Whether there is a README. */
  has_readme: boolean;
  /** Whether there are test files. */
  has_tests: boolean;
  /** Whether a docs folder holds files. */
  has_docs: boolean;
  /** Whether CI is configured. */
  has_ci: boolean;
  /** The git work tree; null without one. */
  git: GitState | null;
  /** Number of files and folders scanned. */
  entries_scanned: number;
  /** Whether the scan stopped at its limit. */
  truncated: boolean;
  [member: string]: unknown;
};

/** Tags and their values, all of which must match. */
export type TagFilter = Record<string, string | number | boolean>;

/**
 * Key of the tag, without a colon.
 * @minLength 1
 * @maxLength 128
 */
export type TagKey = string;

/** Tags and their values. */
export type TagSet = Record<string, string | number | boolean>;

/** String, number or boolean. The type is kept. */
export type TagValue = string | number | boolean;

/** Tags with their typed values. */
export type Tags = Record<string, string | number | boolean>;

/** Members renamed from legacy names. */
export type Translated = Array<{
  /** Current path of the member. */
  path: string;
  /** The legacy name. */
  from: string;
  /** The current name. */
  to: string;
  [member: string]: unknown;
}>;

/** A value and how often it occurs. */
export type ValueCount = {
  /** The value as text. */
  value: string;
  /**
   * Number of vCons that have it.
   * @minimum 0
   */
  count: number;
  [member: string]: unknown;
};

/** Values in use, most used first. */
export type ValueCounts = Array<{
  /** The value. */
  value: string;
  /** Number of vCons that have it. */
  count: number;
  [member: string]: unknown;
}>;

/** A vCon with all stored members under their current names. get_schema returns its schema. */
export type Vcon = {
  /** UUID of the vCon. */
  uuid: string;
  /** Its vCon version, if stated. */
  vcon?: string | null;
  /** When the vCon was made. */
  created_at?: string | null;
  /** Subject of the conversation. */
  subject?: string | null;
  /** Participants, referred to by index. */
  parties?: Array<VconParty | Record<string, unknown>> | null;
  /** What was said. */
  dialog?: Array<VconDialog | Record<string, unknown>> | null;
  /** Summaries, transcripts and other results. */
  analysis?: Array<VconAnalysis | Record<string, unknown>> | null;
  /** Documents and other records. */
  attachments?: Array<VconAttachment | Record<string, unknown>> | null;
  [member: string]: unknown;
};

/** vCons without their content, newest first. */
export type VconIds = Array<{
  /** The vCon's uuid. */
  uuid: string;
  /** RFC 3339 in UTC. */
  created_at: string;
  /** Start of its earliest dialog. Absent if it is created_at. */
  began_at?: string;
  /** Subject. Absent if it has none. */
  subject?: string;
  [member: string]: unknown;
}>;

/** Data that is stored in addition to the vCon. */
export type VconMetadata = {
  /** The basename given at creation. */
  basename?: string;
  /** The file name given at creation. */
  filename?: string;
  tags: Tags;
  counts: Counts;
  /** Whether it conforms to the schema of its version. */
  conformance: {
    /** The schema version checked against. */
    version: string;
    /** Whether there are no violations. */
    valid: boolean;
    /** Number of violations. */
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

/** Tags to set, and file names to store with the vCon. Other members are kept as they are. */
export type VconMetadataInput = {
  /**
   * File name without extension.
   * @maxLength 255
   */
  basename?: string;
  /**
   * File name.
   * @maxLength 255
   */
  filename?: string;
  /** Tags to set. They replace tags of the vCon with the same key. */
  tags?: Record<string, string | number | boolean>;
  [member: string]: unknown;
};

/**
 * Number of earlier and redacted versions that are not counted. filters.versions: all counts them.
 * @minimum 1
 */
export type VersionsLeftOut = number;

/** Violations, each with its path from the root of the arguments. */
export type Violations = Array<{
  /** Path, such as $.vcon_data.dialog[0].type. */
  path: string;
  /** The violated rule. */
  rule: string;
  /** What was found, what is allowed, what to do. */
  message: string;
  [member: string]: unknown;
}>;

/** Accepted input that you should check. Absent if empty. */
export type Warnings = Array<{
  /**
   * legacy_name, standard_base64, body_not_json, unsupported_critical, tag_ignored, would_violate,
   * conversation_date_missing and others; may grow.
   */
  code: string;
  /** Path in the vCon. */
  path?: string;
  /** What it means. */
  message: string;
  [member: string]: unknown;
}>;

/** Number of vCons that contain each word, without filters. */
export type WordCounts = Array<{
  /** The word. */
  word: string;
  /** Number of vCons that contain it, up to 10,000. */
  vcons: number;
  /** For a prefix: the 12 shortest known words that begin with it. */
  begun?: string[];
  /** Languages in which it was searched by another stem than in English. */
  languages?: string[];
  [member: string]: unknown;
}>;
