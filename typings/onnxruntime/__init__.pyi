from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

class SessionOptions:
    intra_op_num_threads: int
    inter_op_num_threads: int
    enable_cpu_mem_arena: bool
    enable_mem_pattern: bool
    log_severity_level: int
    def add_session_config_entry(self, key: str, value: str) -> None: ...

class NodeArg:
    name: str
    shape: list[int | str | None]

class InferenceSession:
    def __init__(
        self,
        path_or_bytes: str | bytes,
        sess_options: SessionOptions | None = ...,
        providers: Sequence[str] | None = ...,
    ) -> None: ...
    def get_inputs(self) -> list[NodeArg]: ...
    def get_outputs(self) -> list[NodeArg]: ...
    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, npt.NDArray[np.int64]]
    ) -> list[npt.NDArray[np.float32]]: ...
