"""What columns of transcripts are called, and how lines begin in which somebody says something."""

import re
from typing import Final

TEXT: Final = (
    *("transcript", "text", "utterance", "message", "content", "body", "transcription", "sentence", "said"),
    *("transcripttext", "calltranscript", "fulltranscript", "utterancetext", "messagetext", "phrase", "line"),
    *("dialogue", "conversation", "chat", "notes", "words", "speech"),
)
SPEAKER: Final = (
    *("speaker", "speakername", "speakerlabel", "speakerrole", "role", "participant", "participantname"),
    *(
        "participantrole",
        "party",
        "sender",
        "sendername",
        "author",
        "from",
        "who",
        "name",
        "speakerid",
        "user",
    ),
    *("channel", "source"),
)
OF_WHO_SPEAKS: Final = frozenset(SPEAKER[: SPEAKER.index("author")])
"""Names that only somebody who speaks has; a table of contacts has a name and notes too."""
ID: Final = (
    *(
        "callid",
        "conversationid",
        "contactid",
        "interactionid",
        "sessionid",
        "recordingid",
        "ticketid",
        "caseid",
    ),
    *("chatid", "threadid", "callsid", "ucid", "call", "callnumber", "callref", "reference", "uuid", "id"),
    *("conversation", "interaction", "session", "ticket", "case", "thread", "chat", "contact"),
)
TIME: Final = (
    *(
        "timestamp",
        "datetime",
        "time",
        "starttime",
        "start",
        "startedat",
        "startdate",
        "calldate",
        "callstart",
    ),
    *("date", "createdat", "created", "sentat", "begin", "begintime", "calltime", "startsec", "startseconds"),
    *("started", "startedon", "began", "occurredat", "sent", "when", "callstarttime", "callstarted"),
    *("startms", "offset", "offsetms", "offsetsec", "offsetseconds", "beginoffsetmillis"),
)
END: Final = ("end", "endtime", "endsec", "endseconds", "endms", "stop", "endoffsetmillis")
DURATION: Final = ("durationsec", "durationseconds", "durationms", "duration")
SUBJECT: Final = ("subject", "title", "topic", "reason", "callreason", "category")
AGENT: Final = ("agentname", "agent", "advisor", "adviser", "operator", "rep", "representative", "agentid")
CUSTOMER: Final = ("customername", "customer", "caller", "callername", "client", "clientname", "customerid")
ROLES: Final = re.compile(
    r"(?:agent|customer|caller|callee|client|operator|rep|representative|advis[oe]r|csr|support|speaker|system"
    r"|bot|user|assistant|ivr|host|guest|interviewer|interviewee|patient|doctor|agente|cliente|kunde|kundin|berater|mitarbeiter"
    r"|conseiller|klant|medewerker|operador|operatore|channel)(?: ?(?:\d{1,3}|[A-Z]|\(.{1,40}\)))?",
    re.IGNORECASE,
)
_NAME: Final = r"[^\W\d_][\w .,'’()/#&-]{0,40}?"
_CLOCK: Final = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
_DATE: Final = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_STAMP: Final = rf"(?:(?P<time>{_DATE}[ T,]{{1,3}}{_CLOCK}(?: ?[AaPp][Mm])?Z?)|(?P<at>{_CLOCK}))"
TURN_LINES: Final = (
    rf"[ \t]*[\[(<]?{_STAMP}(?: ?-{{1,2}}>? ?{_CLOCK})?[\])>]?[ \t]*(?:[-–|,;][ \t]*)?"
    rf"(?P<name>{_NAME})[ \t]*:[ \t]*(?P<text>.*)",
    rf"[ \t]*(?P<name>{_NAME})[ \t]*[\[(]{_STAMP}(?: ?-{{1,2}}>? ?{_CLOCK})?[\])][ \t]*:?[ \t]*(?P<text>.*)",
    rf"[ \t]*(?:[-*>•]{{1,2}}[ \t]*)?(?P<name>{_NAME})[ \t]*:(?!//)[ \t]*(?P<text>.*)",
    rf"[ \t]*<?(?P<name>{_NAME})>[ \t]*(?P<text>.*)",
)
LABELLED: Final = (
    rf"^[ \t]*(?:[\[(]?(?P<at>{_CLOCK})[\])]?[ \t]*-?[ \t]*)?(?P<name>{_NAME})[ \t]*:(?!//)[ \t]*"
)
RUNNING: Final = (
    r"(?:^|(?<=[.!?|…]) ?|\s?\|\s?|(?<=\s))(?P<name>(?:Agent|Customer|Caller|Client|Operator|Rep|Advisor"
    r"|AGENT|CUSTOMER|CALLER|CLIENT|OPERATOR)(?: \d)?)[ \t]*:[ \t]*"
)
_THING: Final = r"(?:Call|Contact|Conversation|Interaction|Ticket|Case|Recording|Session)"
FRONT: Final = {
    "id": rf"^[ \t]*{_THING}[ _-]?(?:ID|No\.?|Number|Ref(?:erence)?|#)[ \t]*:[ \t]*(\S.{{0,100}})$",
    "began": rf"^[ \t]*(?:{_THING} )?(?:Date|Started?|Start time|Time)(?: ?(?:/|and) ?time)?[ \t]*:"
    r"[ \t]*(\S.{0,60})$",
    "subject": r"^[ \t]*(?:Subject|Topic|Reason|Title)[ \t]*:[ \t]*(\S.{0,200})$",
}
SKIPPED: Final = (
    rf"[ \t]*(?:{_THING}(?:[ _-]?(?:ID|No\.?|Number|Ref(?:erence)?|#|date|started?))?"
    r"|(?:Date|Start(?:ed)?|End(?:ed)?|Time|Duration|Queue|Direction|Subject|Topic|Reason|Title|Language|Phone"
    r"|From|To|Disposition)(?: ?(?:/|and)? ?(?:time|name|number))?"
    r"|(?:Agent|Customer|Caller) (?:name|ID|number|phone))[ \t]*:"
    r"|[ \t]*[-=_*#]{3,}[ \t]*$|[ \t]*(?:Transcript|Participants):?[ \t]*$"
)
