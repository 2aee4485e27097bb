// The vCon syntax, version 0.5.0.
// Made from spec/ by codegen; run `make generate`, never edit.
//
// Every value that fits the schema fits its type. Types do not hold bounds, patterns and formats, nor
// rules that depend on other members: the JSON Schema has them all. An optional member may be absent;
// null is allowed only where a type says so. Objects that are open admit further members of any type.

/**
 * vCon 0.5.0. A conversation as draft-ietf-vcon-vcon-core-05 (syntax 0.5.0) defines it: who took part, in
 * which sessions, what was said, what happened, what was computed from it, and the documents that belong to
 * it. Every object is open: members that are not named here are legal. A member that is null counts as
 * absent, so take nulls out before checking. Indices are checked against the lengths of their arrays in code.
 */
export type Vcon = {
  /** Optional and deprecated. */
  vcon?: "0.5.0";
  /** Globally unique; preferably version 8. */
  uuid: Uuid;
  /** When this vCon was made; never changes. */
  created_at: DateValue;
  /** When it last changed. */
  updated_at?: DateValue;
  /** What the conversation is about, free text. */
  subject?: string;
  /** Names of all extensions in use. */
  extensions?: Strings;
  /** Names of the extensions that a reader has to support. */
  critical?: Strings;
  /** The less redacted version that this one was made from. */
  redacted_from?: RedactedFrom;
  /** The earlier version that this one adds to. */
  amended_from?: AmendedFrom;
  /**
   * The conversations, calls or breakouts that dialog and events belong to. At least one where there is
   * dialog or an event.
   */
  sessions?: Session[];
  /** All who took part; the order is their identity. */
  parties?: Party[];
  /** What happened and when, in any order: who joined, left, was held or transferred. */
  events?: Event[];
  /** The conversation itself, in the order it was added. */
  dialog?: Dialog[];
  /** Results computed from the conversation. */
  analysis?: Analysis[];
  /** Documents that belong to the conversation. */
  attachments?: Attachment[];
  group?: never;
  redacted?: never;
  amended?: never;
  [member: string]: unknown;
} & ({
  dialog?: Array<{
    /** Type of dialog */
    type?: "recording" | "recording-set" | "text" | "incomplete" | "mcp_session";
    [member: string]: unknown;
  }>;
  [member: string]: unknown;
} | {
  dialog?: Array<{
    /** Type of dialog */
    type?: "recording" | "recording-set" | "text" | "incomplete";
    [member: string]: unknown;
  }>;
  [member: string]: unknown;
});

/** Amended from. Points at the version that this one adds to, by uuid or by url. */
export type AmendedFrom = {
  /** The UUID of the earlier version. */
  uuid?: Uuid;
  /** Where the earlier version is. */
  url?: HttpsUrl;
  /** Hash of the bytes at url. */
  content_hash?: Hashes;
  [member: string]: unknown;
};

/** Analysis. A result computed from the conversation. */
export type Analysis = {
  /** Preferably report, sentiment, summary, transcript, translation or tts. */
  type: string;
  /** Who or what made it. */
  vendor: string;
  /** The dialog it was computed from. */
  dialog?: Indices;
  /** The attachments it was computed from. */
  attachment?: Indices;
  /** Product or model that made it. */
  product?: string;
  /** Tells formats of one vendor apart. */
  schema?: string;
  /** Media type of the content. */
  mediatype?: Mediatype;
  /** Name of the file that the content was. */
  filename?: string;
  /** The content itself: a string, or any JSON value when encoding is json. */
  body?: unknown;
  /** How body holds the content. */
  encoding?: Encoding;
  /** Where the content is, when it is not in body. */
  url?: HttpsUrl;
  /** Hash of the bytes at url. */
  content_hash?: Hashes;
  [member: string]: unknown;
};

/** Attachment. A document that belongs to the conversation. */
export type Attachment = {
  /** What it is for, free text; older files call it type. */
  purpose?: string;
  /** The older name of purpose. */
  type?: string;
  /** When it was sent. */
  start: DateValue;
  /** The party that brought it in. */
  party: UInt;
  /** The dialog it belongs to. */
  dialog: UInt;
  /** Media type of the content. */
  mediatype?: Mediatype;
  /** Name of the file that the content was. */
  filename?: string;
  /** The content itself: a string, or any JSON value when encoding is json. */
  body?: unknown;
  /** How body holds the content. */
  encoding?: Encoding;
  /** Where the content is, when it is not in body. */
  url?: HttpsUrl;
  /** Hash of the bytes at url. */
  content_hash?: Hashes;
  [member: string]: unknown;
};

/** Civic address. Parts of an address, all optional. */
export type CivicAddress = {
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
export type ContentHash = string;

/**
 * RFC 3339 date and time with an offset. For example 2025-10-14T10:30:00Z or 2025-10-14T12:30:00+02:00.
 * @format date-time
 */
export type DateValue = string;

/** Dialog. One part of the conversation: a recording, a message, or an attempt that came to nothing. */
export type Dialog = {
  /** What kind of dialog this is. */
  type: string;
  /** When it began; for a message, when it was sent. */
  start?: DateValue;
  /** Length in seconds. */
  duration?: UNum;
  /** Who took part: indices into the vCon's parties. */
  parties?: DialogParties;
  /** The party that began it, when that is not the first of parties. */
  originator?: UInt;
  /** The recordings of this set. */
  recordings?: UInt[];
  /** The recording-set dialog that this recording is part of. */
  recording_set?: UInt;
  /** Media type of the content. */
  mediatype?: Mediatype;
  /** Name of the file that the content was. */
  filename?: string;
  /** The content itself: a string, or any JSON value when encoding is json. */
  body?: unknown;
  /** How body holds the content. */
  encoding?: Encoding;
  /** Where the content is, when it is not in body. */
  url?: HttpsUrl;
  /** Hash of the bytes at url. */
  content_hash?: Hashes;
  /** Why there is no conversation; failed when unknown. */
  disposition?: "no-answer" | "congestion" | "failed" | "busy" | "hung-up" | "voicemail-no-message";
  /** Session identifiers of the call's ends. */
  session_id?: SessionIds;
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
export type DialogParties = number | Array<number | UInt[] | null>;

/** Encoding. none: the string is the content; base64url: its bytes, no padding; json: JSON. */
export type Encoding = "none" | "base64url" | "json";

/** Event. One thing that happened in a session. */
export type Event = {
  /** What happened. */
  type:
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
    | "transfer-abandoned";
  /** When. */
  time: DateValue;
  /** The session it happened in; for a transfer, the original call. */
  session: UInt;
  /** Who; for a transfer, the party that transfers. */
  party: UInt;
  /** The dialog it relates to. */
  dialog?: UInt;
  /** The key, for keydown and keyup. */
  button?: string;
  /** Party that is transferred. */
  transferee?: UInt;
  /** Party it is transferred to. */
  transfer_target?: UInt;
  /** Session between the party that transfers and the target. */
  consultation?: UInt;
  /** Session of the call after the transfer. */
  target_session?: UInt;
  [member: string]: unknown;
};

/**
 * One content hash or an array of them
 * @pattern ^(?:sha512-[A-Za-z0-9_-]{86}|(?!sha512-)[a-z0-9_]+-[A-Za-z0-9_-]+)$
 * @minItems 1
 */
export type Hashes = string | ContentHash[];

/**
 * HTTPS address
 * @pattern ^[Hh][Tt][Tt][Pp][Ss]://[^\s/?#]+[^\s]*$
 */
export type HttpsUrl = string;

/**
 * One index or an array of them
 * @minimum 0
 */
export type Indices = number | UInt[];

/**
 * Media type such as text/plain. type/subtype; parameters may follow after a semicolon.
 * @pattern ^[A-Za-z0-9!#$%&'*+.^_`|~-]+/[A-Za-z0-9!#$%&'*+.^_`|~-]+(?:[ \t]*;.*)?$
 */
export type Mediatype = string;

/** Party. One who took part, observed or contributed; named elsewhere by its position. {} is a placeholder. */
export type Party = {
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
  civicaddress?: CivicAddress;
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

/** Redacted from. Points at the less redacted version; without uuid there is none. */
export type RedactedFrom = {
  /** The kind of redaction. */
  type: string;
  /** The UUID of the earlier version. */
  uuid?: Uuid;
  /** Where the earlier version is. */
  url?: HttpsUrl;
  /** Hash of the bytes at url. */
  content_hash?: Hashes;
  [member: string]: unknown;
};

/** Session. One conversation, call or breakout. {} is a placeholder. */
export type Session = {
  /** When it began, at or before all that belongs to it. */
  start?: DateValue;
  /** Length in seconds, of all that belongs to it. */
  duration?: UNum;
  /** All who took part, those who only listened, too. */
  parties?: UInt[];
  /** The dialog that belongs to it. */
  dialog?: UInt[];
  /** How it relates to other sessions. */
  sessions?: SessionReference[];
  [member: string]: unknown;
};

/** Session identifier. {} is a placeholder. */
export type SessionId = {
  /** UUID of the near end; the nil UUID when it has none. */
  local?: string;
  /** UUID of the far end; the nil UUID when it has none. */
  remote?: string;
  [member: string]: unknown;
};

/** One session identifier, or an array shaped like parties */
export type SessionIds =
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
    } | SessionId[] | null>;

/** Related session. A relation of one session to another. */
export type SessionReference = {
  /** The other session. */
  session: UInt;
  /** Preferably child, peer, precursor or breakout. */
  type?: string;
  /** The relation in words. */
  description?: string;
  [member: string]: unknown;
};

/** Array of strings */
export type Strings = string[];

/**
 * Whole number from 0 up
 * @minimum 0
 */
export type UInt = number;

/**
 * Number from 0 up
 * @minimum 0
 */
export type UNum = number;

/**
 * UUID in five hex groups. RFC 9562 text form, in any letter case.
 * @format uuid
 */
export type Uuid = string;
