"""What a page drew: the specification and the data of each chart, as the browser would get them."""

import json
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest


class Shown(NamedTuple):
    spec: dict[str, Any]
    data: pd.DataFrame
    alt: str


def chart(app: AppTest, index: int = 0) -> tuple[dict[str, Any], pd.DataFrame]:
    proto = app.get("vega_lite_chart")[index].proto
    data = proto.data.data or proto.datasets[0].data.data
    return json.loads(proto.spec), pa.ipc.open_stream(data).read_pandas()


def titles_in(part, names=("title",)):
    """Yield the titles within a specification of Vega-Lite, or what stands under other names."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part if isinstance(part, list) else ()):
        if key in names and isinstance(value, str):
            yield value
        yield from titles_in(value, names)
