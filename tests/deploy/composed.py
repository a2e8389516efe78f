"""The services of compose.yaml: the replicas, and the store of their classes."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / ".deploy" / "compose.yaml").read_text(encoding="utf-8")
SERVICES = yaml.safe_load(re.sub(r"\$\{\w+:-(.*?)\}", r"\1", TEXT))["services"]  # each variable has its default
REPLICAS = {name: service for name, service in SERVICES.items() if "build" in service}
(STORE,) = SERVICES.keys() - REPLICAS.keys()
