"""Numbered files that a store may have applied in another form or under another number."""

from dataclasses import dataclass
from typing import Final

_DROP_TRIGGERS: Final = """
drop trigger if exists consent_said on vcontract.attachment;
drop trigger if exists consent_changed on vcontract.attachment;
drop trigger if exists consent_removed on vcontract.attachment
"""
# A space that has vectors stays: another one is built beside it, as for any other model.
_NO_LATE_VECTORS: Final = """
update vcontract.embedding_space s
set model = 'all-MiniLM-L6-v2@8199be6f699a/mean/l2/256', calibration = '{0.069,0.344,0.428}'
where s.model = 'all-MiniLM-L6-v2@8199be6f699a/mean/l2/256/late/254'
    and not exists (select from vcontract.embedding e where e.space = s.id)
    and not exists (
        select from vcontract.embedding_space o where o.model = 'all-MiniLM-L6-v2@8199be6f699a/mean/l2/256')
"""
_DURATION_INDEX: Final = """
create index if not exists dialog_duration on vcontract.dialog (tenant, vcon)
where doc ->> 'duration' is not null
"""


@dataclass(frozen=True, slots=True)
class FormerFile:
    """A file as stores may have applied it. `now` is the number of the file with that content, if any."""

    checksum: str
    now: int | None
    change: str = ""
    """SQL that makes of what it did what the file of number `now` does; without that file, what undoes it."""


FORMER_FILES: Final = {
    (former.checksum): former
    for former in (
        # versions
        FormerFile("91ddff6480283a2d5099d397a3a19b89b49adf5990edadba8142ee6ae2aeabc9", 19),
        # party_counts
        FormerFile("ff25bccca04311f23eed8139c5ab3fbe4846f44cd7af7c0cc50fa34e25da4042", 22),
        # consent, kept by triggers
        FormerFile("95182f416160820d4a98832b921d0c48717ff5dbdbbc903b0db73e17bec4d621", 23, _DROP_TRIGGERS),
        # composed_names
        FormerFile("e0bc6dc55bac893df7442575b4daa28695d2b04ada1eb56984839aef5f12571c", 28),
        # late_vectors, twice
        FormerFile(
            "139e94d398821f08c7b6cb4cda2211423c72430747dad52c360ab547a11c766e", None, _NO_LATE_VECTORS
        ),
        FormerFile(
            "223f00af2196266c3d3cc12bd458fafa71f6ab5f5b525811a119475603f49e4a", None, _NO_LATE_VECTORS
        ),
        # deleted_vcons
        FormerFile("12a00d21313e594a88f745936010fab03f8a0211e8f79eabbebff8788d464906", 33),
        # passage_words
        FormerFile("5717569a7b67e0df61e24df29804b390b4211cfb5b3e80c4db0693c01c73b300", 34),
        # passage_words_by_tenant
        FormerFile("e79775a31cb7ee11855c08e3802291cbfabe31ae074c78068acddb1521ae371e", 35, _DURATION_INDEX),
        # when_said
        FormerFile("63da67bc522ae79e7fdd442ea76bb4d23928ef36b7bd8475c85184e369ce200f", 36),
    )
}
"""By checksum. Files that only moved to another number are here, too."""
