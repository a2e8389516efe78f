"""The services of compose.yaml: the replicas, and the store of their classes."""

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
SERVICES = yaml.safe_load((ROOT / ".deploy" / "compose.yaml").read_text(encoding="utf-8"))["services"]
REPLICAS = {name: service for name, service in SERVICES.items() if "build" in service}
(STORE,) = SERVICES.keys() - REPLICAS.keys()
