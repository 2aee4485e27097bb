"""Reading dates in words."""

from collections.abc import Mapping, Sequence
from datetime import datetime

class DateData:
    date_obj: datetime | None
    period: str
    part_of_day: str | None

class DateDataParser:
    def __init__(self, *, languages: Sequence[str], settings: Mapping[str, object]) -> None: ...
    def get_date_data(self, date_string: str) -> DateData: ...
