"""The calibration of an embedding model, measured on the example conversations: python -m bench.calibration

It embeds passages as the worker does, asks questions whose answers are known, and prints three cosines: the
median and the 99th percentile over questions and passages of other conversations, and the median over
questions and the passages that answer them. They go into the model's provider.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from ruamel.yaml import YAML

from vcontract.runtime.embedding.embedder import Calibration, Embedder
from vcontract.runtime.embedding.model import EmbeddingModel
from vcontract.runtime.embedding.probes import calibration_of
from vcontract.runtime.embedding.recipe import Recipe, make_embedder
from vcontract.runtime.embedding.sources import sources_of, vectors_of
from vcontract.runtime.frame.documents.json import JsonObject
from vcontract.runtime.frame.documents.json_values import array, as_index, members
from vcontract.runtime.settings import Settings
from vcontract.runtime.store.embeddings import PassageToEmbed
from vcontract.runtime.vcon.text import passages

EXAMPLES = Path(__file__).parents[1] / "spec" / "examples"

QUESTIONS: list[tuple[str, str, str]] = [
    ("dates in the exported spreadsheet are misread abroad", "agent_session", "accountant in Leeds"),
    ("which source files build a date string", "agent_session", "csv_writer.py, line 48"),
    ("stay compatible with files in the old format", "agent_session", "reads both forms"),
    ("were the unit tests written before the change", "agent_session", "Write the test first"),
    ("did the whole test suite succeed", "agent_session", "214 tests pass"),
    ("customer threatens to leave his internet provider", "call_transfer", "I want to cancel"),
    ("who was the caller handed over to", "call_transfer", "line engineer"),
    ("slower line speed in exchange for stability", "call_transfer", "a little slower"),
    ("small bicycle for a child, when is it available again", "chat", "coming back in stock"),
    ("can I talk to a human being", "chat", "a person please"),
    ("a price reduction because it was on show in the shop", "chat", "15 percent off"),
    ("when and where can it be collected", "chat", "pick it up from our Bath store"),
    ("a free gift for the child", "chat", "frog bell is on me"),
    ("damage near the head tube", "email", "crack of about two centimetres"),
    ("is it covered if there was an accident", "email", "collision"),
    ("known manufacturing defect of certain serial numbers", "email", "too little penetration"),
    ("the shop pays for moving parts to the new frame", "email", "180 euros"),
    ("the replacement has been shipped", "email", "left our warehouse"),
    ("large order from a delivery company", "full_featured", "forty cargo bikes for our courier company"),
    ("lithium cells are damaged by frost when charged", "full_featured", "minus ten"),
    ("where should the goods be delivered", "full_featured", "18 Quarry Street"),
    ("how long is the offer valid", "full_featured", "Valid until 30 September"),
    ("someone crashed into my vehicle overnight", "insurance_claim", "drove into my parked car"),
    ("the car is taken away by a tow truck", "insurance_claim", "towed"),
    ("how many days does the garage need", "insurance_claim", "six working days"),
    ("extend the rental contract of our premises", "minimal", "renew the workshop lease"),
    ("the combination of the padlock was changed", "multilingual_chat", "4-1-7-2"),
    ("cannot open the bicycle lock", "multilingual_chat", "cannot open the lock"),
    ("the parcel did not arrive in the promised time", "phone_call", "nobody has shown up"),
    ("the carrier's vehicle had a breakdown", "phone_call", "van broke down"),
    ("the customer wants his money back", "refund_dispute", "So where is my money"),
    ("contested the payment with the credit card company", "refund_dispute", "dispute the charge"),
    ("proof that the accumulator was handed over", "refund_dispute", "Bike, battery, charger"),
    ("compensation for having to ring several times", "refund_dispute", "credit of seventy-five dollars"),
    ("a buyer compares offers for a second-hand car", "sales_pricing", "competing offer"),
    ("how much would I get for my old car", "sales_pricing", "appraiser"),
    ("condition of the hybrid's accumulator", "sales_pricing", "ninety-six percent"),
    ("the patient feels unsteady when getting up", "telehealth", "Dizziness on standing"),
    ("reduce the dose of the tablets", "telehealth", "half of the lisinopril"),
    ("cough as a side effect of a drug", "telehealth", "That can come from the lisinopril"),
    ("should we end the price test before time", "video", "stop it early"),
    ("the supplier needs a month and a half", "video", "Lead time is six weeks"),
    ("damaged wheel of a hired bicycle", "voicemail", "broken spoke"),
    ("the mechanic sends a message that he is on his way", "voicemail", "spare rear wheel"),
    ("no charge because they had to walk", "voicemail", "rental is free"),
    (
        "Which files did the agent change to write ISO dates?",
        "agent_session",
        "writes isoformat",
    ),
    ("What happened to the importer of the invoices?", "agent_session", "it would break"),
    (
        "Why does the internet connection drop in the evening?",
        "call_transfer",
        "a street lamp",
    ),
    ("Is the balance bike in stock in yellow?", "chat", "one yellow Sparrow left"),
    ("Does the customer pay now or at the store?", "chat", "do I pay now or there"),
    ("Is a crack in the frame covered by the warranty?", "email", "covered by the warranty"),
    ("When was the touring frame bought?", "email", "14.06.2022"),
    ("How many cargo bikes does Quarry Street Couriers want?", "full_featured", "asks for a quote for forty"),
    ("What discount comes with the service plan?", "full_featured", "the discount is 15 percent"),
    ("How was the parked car hit by the van?", "insurance_claim", "hit by a delivery van"),
    ("When does the lease of the workshop end?", "minimal", "renew the workshop lease"),
    ("How does one set a new code on the lock?", "multilingual_chat", "how to set a new code"),
    ("When will the commuter bike be delivered?", "phone_call", "next day before 9:00"),
    ("Why was the refund of Dolores Whitfield blocked?", "refund_dispute", "The refund was blocked because"),
    ("Is there a restocking fee?", "refund_dispute", "There is no restocking fee"),
    ("What is the price of the hybrid wagon?", "sales_pricing", "listed at 27,900"),
    ("Are winter tires included in the price?", "sales_pricing", "winter tires"),
    (
        "What are the patient's blood pressure readings in the morning?",
        "telehealth",
        "readings are low",
    ),
    ("Why is Mr Jensen dizzy?", "telehealth", "dizzy in the mornings"),
    ("What did the team decide about the pricing experiment?", "video", "running unchanged until 3 October"),
    ("Did the sales of helmets and lights rise?", "video", "Helmets are up 19 percent"),
    ("Where did the tandem break down?", "voicemail", "Pine Cove campsite"),
]
"""A question, the example that answers it, and words of the passage that does."""


def measure(embedder: Embedder) -> Calibration:
    """The calibration of a model on the example conversations."""
    owners: list[str] = []
    contents: list[str] = []
    vectors: list[np.ndarray[tuple[int, int], np.dtype[np.float32]]] = []
    for name, vcon in _examples():
        rows = list(_stored(vcon))
        sources = sources_of(rows, embedder.windows)
        of_source = asyncio.run(vectors_of(sources, EmbeddingModel(lambda: embedder, threads=1)))
        vectors.append(np.stack([of_source[source] for source in sources]))
        owners += [name] * len(rows)
        contents += [row.content for row in rows]
    cosines = embedder.embed([question for question, _, _ in QUESTIONS], "query") @ np.concatenate(vectors).T
    unrelated: list[float] = []
    relevant: list[float] = []
    for row, (question, name, words) in zip(cosines, QUESTIONS, strict=True):
        answers = [place for place, text in enumerate(contents) if owners[place] == name and words in text]
        if not answers:
            raise ValueError(f"no passage of {name} holds {words!r}, which should answer {question!r}")
        relevant.append(max(float(row[place]) for place in answers))
        unrelated += [float(cosine) for cosine, owner in zip(row, owners, strict=True) if owner != name]
    return calibration_of(unrelated, relevant)


def _examples() -> Iterator[tuple[str, JsonObject]]:
    yaml = YAML(typ="safe")
    for path in sorted(EXAMPLES.glob("*.yaml")):
        document: JsonObject = yaml.load(path)  # pyright: ignore[reportUnknownMemberType]
        yield document["name"], document["vcon"]


def _stored(vcon: JsonObject) -> Iterator[PassageToEmbed]:
    """The passages of a vCon as the worker reads them from the database."""
    parties, dialogs = array(vcon.get("parties")), array(vcon.get("dialog"))
    for passage in passages(vcon):
        if passage.part == "party":
            continue
        speaker = None
        if passage.part == "dialog" and passage.element is not None:
            dialog = members(dialogs[passage.element])
            who = dialog.get("originator", (array(dialog.get("parties")) or [dialog.get("parties")])[0])
            index = as_index(who)
            speaker = members(parties[index]).get("name") if index is not None else None
        yield PassageToEmbed(passage.part, passage.element or 0, passage.chunk, passage.content, speaker)


def main() -> None:
    """Measure the model that the settings name."""
    embedder = make_embedder(Recipe.of_settings(Settings.load()))
    found = measure(embedder)
    print(embedder.id)
    print(f"Calibration({found.unrelated}, {found.noise}, {found.relevant})")
    if not found.is_usable:
        print("not rising: similarity would be the plain cosine")


if __name__ == "__main__":
    main()
