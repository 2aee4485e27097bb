"""A journal of half a year, made up for tests and documentation: somebody learns to swim in the sea."""

from vcontract.runtime.frame.documents.json import JsonObject

WHO: JsonObject = {"experiencer": "Mira", "perspective": "I", "processing": "right-after"}

CAPTURES: list[tuple[str, JsonObject]] = [
    (
        "2026-03-02",
        {"content": "I stand at the edge of the pool. My toes curl over the tiles and will not let go."},
    ),
    (
        "2026-03-05",
        {"content": "The water is colder than I had promised myself. I count to ten and go in at nine."},
    ),
    (
        "2026-03-09",
        {
            "content": "For one stroke I do not think of my breath, and at once I swallow water and laugh.",
            "processing": "during",
        },
    ),
    (
        "2026-03-16",
        {"content": "Lane three. An old man passes me twice and nods each time, as if we had agreed."},
    ),
    (
        "2026-03-29",
        {"content": "I swim a whole length without stopping. At the wall I look for somebody to tell."},
    ),
    ("2026-04-04", {"content": "My shoulders ache in a place that I did not know was a part of me."}),
    (
        "2026-04-12",
        {"content": "Rain on the roof of the pool. Under water there is none, only the hum of the pumps."},
    ),
    (
        "2026-04-19",
        {
            "content": "We swim side by side, Jon and I. Our arms enter the water in the same moment.",
            "perspective": "we",
        },
    ),
    ("2026-04-26", {"content": "I dream of swimming and wake up tired, as if I had done it."}),
    (
        "2026-05-03",
        {"content": "First time at the sea this year. It pulls the sand from under my heels."},
    ),
    ("2026-05-10", {"content": "I go in up to my waist. A wave asks nothing and takes my breath."}),
    ("2026-05-17", {"content": "Jon says the sea is only a pool without walls. I hear the word only."}),
    ("2026-05-24", {"content": "I float on my back. There is more sky than I have ever had to myself."}),
    (
        "2026-06-07",
        {"content": "Something touches my foot. It is a leaf of kelp. My heart does not believe it."},
    ),
    (
        "2026-06-14",
        {"content": "I turn back halfway to the buoy. Nobody sees it, and I am ashamed before the gulls."},
    ),
    (
        "2026-06-21",
        {"content": "The longest day. I sit in the dunes with wet hair and do not want to be anywhere else."},
    ),
    (
        "2026-07-05",
        {"content": "I reach the buoy. I lay a hand on its rusty skin, and nothing happens, and that is it."},
    ),
    (
        "2026-07-12",
        {"content": "Swimming home from the buoy I am slow and content, like somebody who carries bread."},
    ),
    (
        "2026-08-02",
        {
            "content": "I teach Lea to put her face into the water. She curls her toes over the tiles.",
            "processing": "during",
        },
    ),
    (
        "2026-08-30",
        {
            "content": "Reading the first pages again. I was never afraid of the water, but of the edge.",
            "processing": "long-after",
        },
    ),
]
"""When, and what was captured; the last one reflects on the first."""

MOMENTS: list[tuple[tuple[int, ...], JsonObject]] = [
    (
        (0, 1),
        {
            "emoji": "🧊",
            "summary": "Toes hold on to the edge",
            "shot": "crossing-threshold",
            "qualities": [
                {"type": "embodied", "manifestation": "Toes curl over the tiles and will not let go."},
                {"type": "temporal", "manifestation": "Counting to ten, going in at nine."},
            ],
        },
    ),
    (
        (2, 4),
        {
            "emoji": "🌊",
            "summary": "A stroke without thinking of breath",
            "shot": "moment-of-recognition",
            "qualities": [
                {"type": "attentional", "manifestation": "The breath is forgotten, and noticed by its loss."}
            ],
        },
    ),
    (
        (3, 7, 11),
        {
            "emoji": "🤝",
            "summary": "Others in the water beside me",
            "shot": "peripheral-awareness",
            "qualities": [
                {
                    "type": "relational",
                    "manifestation": "A nod, an arm in the same moment, a word that is heard.",
                }
            ],
        },
    ),
    (
        (9, 10, 13, 14),
        {
            "emoji": "😨",
            "summary": "The sea takes breath and courage",
            "shot": "holding-opposites",
            "qualities": [
                {"type": "emotional", "manifestation": "Fear of a leaf, shame before the gulls."},
                {"type": "spatial", "manifestation": "No walls; the sand goes from under the heels."},
            ],
        },
    ),
    (
        (16, 17),
        {
            "emoji": "🛟",
            "summary": "A hand on the rusty buoy",
            "shot": "directed-momentum",
            "qualities": [
                {
                    "type": "purposive",
                    "manifestation": "The buoy is reached, and nothing happens, and that is it.",
                }
            ],
        },
    ),
    (
        (18, 19),
        {
            "emoji": "🔁",
            "summary": "The same tiles under other toes",
            "shot": "moment-of-recognition",
            "qualities": [{"type": "relational", "manifestation": "Lea's toes are mine of March."}],
        },
    ),
]
"""Which captures a moment frames, and how."""

SCENES: list[tuple[tuple[int, ...], JsonObject]] = [
    (
        (0, 1, 2),
        {
            "emoji": "🏊",
            "summary": "From the edge into the lane",
            "narrative": "First the toes hold on; then a stroke happens by itself; then there are others.",
            "shot": "crossing-threshold",
        },
    ),
    (
        (3, 4, 5),
        {
            "emoji": "⛵",
            "summary": "Out to the buoy and back",
            "narrative": "The sea takes the courage that the pool gave, and gives it back at the buoy.",
            "shot": "directed-momentum",
        },
    ),
]
"""Which moments a scene weaves, and how."""
