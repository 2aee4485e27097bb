"""Column names of transcripts in several languages, and patterns of lines that begin a turn.

Names are in English, German, French, Spanish, Portuguese, Italian and Dutch, in lower case and without
accents, spaces and symbols. Earlier names take precedence.
"""

import re
from typing import Final

TEXT: Final = tuple(
    "transcript text utterance message msg content body transcription sentence said transcripttext"
    " calltranscript fulltranscript utterancetext messagetext phrase line dialogue conversation chat"
    " nachricht nachrichtentext inhalt wortlaut transkript gesprachstext ausserung aussage gesagt"
    " beitrag satz texte contenu propos paroles enonce mensaje texto contenido"
    " transcripcion frase dicho"
    " mensagem conteudo transcricao fala messaggio testo contenuto trascrizione battuta bericht tekst"
    " inhoud transcriptie uiting zin"
    " gesprachsprotokoll gesprachsnotiz protokoll notes words speech notizen notiz notas"
    " note notities".split()
)
SPEAKER: Final = tuple(
    "speaker speakername speakerlabel speakerrole speakerid speakertag role participant participantname"
    " participantrole party sender sendername sprecher sprecherin sprechername redner teilnehmer rolle"
    " absender locuteur locutrice intervenant interlocuteur expediteur hablante orador interlocutor"
    " participante rol remitente falante parlante oratore interlocutore partecipante ruolo mittente"
    " spreker deelnemer afzender author from who name user verfasser autor wer auteur qui"
    " quien quem chi"
    " wie nom nombre nome naam channel channelid audiochannel kanal canal canale kanaal leg track"
    " source".split()
)
OF_WHO_SPEAKS: Final = frozenset(SPEAKER[: SPEAKER.index("author")])
"""Names used only for speakers; a table of contacts has a name and notes too."""
ID: Final = tuple(
    "callid conversationid contactid interactionid sessionid recordingid ticketid"
    " ticketno ticketnr ticketnumber caseid chatid"
    " threadid callsid ucid anrufid gesprachsid gesprachid vorgangsid idappel appelid idllamada"
    " llamadaid idchamada chamadaid idchiamata chiamataid gespreksid gesprekid call callnumber callno"
    " casenumber callref reference uuid id conversation interaction session ticket case thread chat"
    " recording contact anrufnummer anrufnr gesprachsnummer gesprachsnr vorgangsnummer ticketnummer"
    " anruf gesprach vorgang numeroappel numerodappel ndappel iddelallamada numerodelallamada"
    " iddachamada appel dossier numerollamada numerodellamada llamada caso numerochamada"
    " numerodachamada"
    " chamada ligacao atendimento protocolo numerochiamata chiamata gespreksnummer gesprek oproep ref"
    " referenz referencia riferimento referentie".split()
)
TIME: Final = tuple(
    "timestamp datetime time ts starttime start startedat startdate calldate callstart date datetimeopened"
    " createdat created sentat begin begintime calltime startsec startseconds started startedon began"
    " occurredat sent when callstarttime callstarted startms offset offsetms offsetsec offsetseconds"
    " beginoffsetmillis zeitpunkt zeitstempel datumuhrzeit zeit uhrzeit startzeit beginn anfang wann"
    " datum horodatage dateheure heure debut quand marcadetiempo fechahora fecha hora inicio cuando"
    " datahora data horario quando dataora orario ora inizio tijdstempel tijdstip"
    " datumtijd tijd aanvang"
    " wanneer".split()
)
CLOCK_NAMES: Final = frozenset("time uhrzeit zeit heure hora horario ora orario tijd calltime".split())
"""Names of times of day, which count from midnight if another column has the date."""
END: Final = tuple(
    "end endtime endsec endseconds endms stop endoffsetmillis ende endzeit fin fim fine einde".split()
)
DURATION: Final = tuple(
    "durationsec durationseconds durationms duration dauer duree duracion duracao durata duur".split()
)
SUBJECT: Final = tuple(
    "subject title topic reason callreason category betreff thema titel grund anliegen objet sujet"
    " titre motif asunto tema titulo motivo assunto oggetto argomento titolo onderwerp reden".split()
)
_AGENTS: Final = (
    "agent rep representative advisor adviser operator csr support berater beraterin mitarbeiter"
    " mitarbeiterin agentin conseiller conseillère conseillere agente operador operadora asesor asesora"
    " atendente operatore operatrice consulente medewerker"
).split()
_CUSTOMERS: Final = (
    "customer caller callee client kunde kundin anrufer anruferin cliente appelant appelante llamante"
    " usuario chiamante utente klant beller"
).split()
_OTHERS: Final = (
    "speaker system bot user assistant ivr host guest interviewer interviewee patient doctor channel"
    " sprecher sprecherin locuteur locutrice intervenant hablante falante parlante spreker kanal canal"
    " canale kanaal"
).split()
ASKS: Final = frozenset(
    (*_CUSTOMERS, *"user human question prompt query request frage pregunta pergunta domanda".split())
)
REPLIES: Final = frozenset(
    (
        *_AGENTS,
        *"assistant bot chatbot ai system".split(),
        *"answer response reply completion antwort respuesta resposta risposta".split(),
    )
)
"""Words of columns with what one side says, and with what the other does."""
OF_PEOPLE: Final = frozenset((*_CUSTOMERS, *_AGENTS, *"user human assistant bot chatbot".split()))
"""Those that are people or programs: lists of questions and answers are no conversations for sure."""
AGENT: Final = ("agentname", "agentid", *_AGENTS)
CUSTOMER: Final = ("customername", "callername", "clientname", "kundenname", "customerid", *_CUSTOMERS)
ROLES: Final = re.compile(
    rf"(?:{'|'.join((*_AGENTS, *_CUSTOMERS, *_OTHERS))})(?: ?(?:\d{{1,3}}|[A-Z]|\(.{{1,40}}\)))?",
    re.IGNORECASE,
)
_NAME: Final = r"[^\W\d_][\w .,'’()/#&-]{0,40}?"
_CLOCK: Final = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?"
_DATE: Final = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
STAMP: Final = rf"(?:(?P<time>{_DATE}[ T,]{{1,3}}{_CLOCK}(?: ?[AaPp][Mm])?Z?)|(?P<at>{_CLOCK}))"
STAMP_END: Final = rf"(?: ?-{{1,2}}>? ?{_CLOCK})?"
"""The end of a time span."""
LABELLED: Final = (
    rf"^[ \t]*(?:[\[(]?(?P<at>{_CLOCK})[\])]?[ \t]*-?[ \t]*)?(?P<name>{_NAME})[ \t]*:(?!//)[ \t]*"
)
_LABELS: Final = "|".join(
    label for word in sorted({*_AGENTS, *_CUSTOMERS}) for label in (word.capitalize(), word.upper())
)
RUNNING: Final = rf"(?:^|(?<=[.!?|…]) ?|\s?\|\s?|(?<=\s))(?P<name>(?:{_LABELS})(?: \d)?)[ \t]*:[ \t]*"
LABELS: Final = {"lines": LABELLED, "running": RUNNING}
"""Patterns of labels that split a text into turns, by where they are."""
_THING: Final = (
    r"(?i:Call|Contact|Conversation|Interaction|Ticket|Case|Recording|Session|Anruf|Gesprächs?|Vorgangs?|Appel"
    r"|Dossier|Llamada|Caso|Chamada|Atendimento|Chiamata|Gespreks?)"
)
_NUMBERED: Final = (
    rf"(?:{_THING}[ _-]?(?i:ID|No\.?|Nr\.?|Number|Nummer|Ref(?:erence)?|#)"
    rf"|(?i:ID|N[º°o]\.?|N[uú]mero|Numéro)(?i: d[’']| de la| de| da| do| della)? ?{_THING})"
)
_DATED: Final = (
    r"(?i:Date|Started?|Start time|Time|Datum|Beginn|Zeitpunkt|Heure|Début|Fecha|Inicio|Início|Data|Inizio"
    r"|Begin)"
)
_ABOUT: Final = (
    r"(?i:Subject|Topic|Reason|Title|Betreff|Thema|Grund|Objet|Sujet|Motif|Asunto|Tema|Motivo|Assunto|Oggetto"
    r"|Onderwerp)"
)
_AND_TIME: Final = r"(?i: ?(?:/|and|und|et|y|e|en) ?(?:time|(?:Uhr)?zeit|heure|hora|ora|tijd))?"
FRONT: Final = {
    "id": rf"^[ \t]*{_NUMBERED}[ \t]*:[ \t]*(\S.{{0,100}})$",
    "began": rf"^[ \t]*(?:{_THING} )?{_DATED}{_AND_TIME}[ \t]*:[ \t]*(\S.{{0,60}})$",
    "subject": rf"^[ \t]*{_ABOUT}[ \t]*:[ \t]*(\S.{{0,200}})$",
}
SKIPPED: Final = (
    rf"[ \t]*(?:{_NUMBERED}|{_THING}(?:[ _-]?(?:date|started?))?|(?:{_DATED}{_AND_TIME}|{_ABOUT}|End(?:ed)?"
    r"|Duration|Queue|Direction|Language|Phone|From|To|Disposition|Uhrzeit|Hora|Ora|Tijd|Ende|Dauer"
    r"|Warteschlange|Sprache|Durée|Fin|Duración|Duração|Durata|Fine|Duur)"
    r"(?: ?(?:/|and)? ?(?:time|name|number))?"
    r"|(?:Agent|Customer|Caller) (?:name|ID|number|phone))[ \t]*:"
    r"|[ \t]*[-=_*#]{3,}[ \t]*$|[ \t]*(?:Transcript|Participants|Transkript|Teilnehmer):?[ \t]*$"
)
